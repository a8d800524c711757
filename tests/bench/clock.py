"""CPU time on a machine whose speed varies: each piece of work is measured between two runs of a fixed
loop, so that it can be told as it is at the best speed that the machine showed in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

STEPS = 100_000
COLUMNS = ("CPU milliseconds", "least", "median", "p95", "p95 at the best speed", "goal")
HEAD = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Taken:
    """Milliseconds of some work, and of the loop beside it."""

    work: float
    loop: float

    def __add__(self, other: Taken) -> Taken:
        return Taken(self.work + other.work, fmean((self.loop, other.loop)))

    def less(self, part: float) -> Taken:
        """Without these milliseconds of it."""
        return Taken(self.work - part, self.loop)


def timed(work: Callable[[], T]) -> tuple[Taken, T]:
    """What the work took of this process, and what it gave."""
    before = loop()
    start = time.process_time()
    result = work()
    spent = (time.process_time() - start) * 1e3
    return Taken(spent, fmean((before, loop()))), result


def loop() -> float:
    """Milliseconds of CPU for a loop of additions and products."""
    start = time.process_time()
    total = 0
    for step in range(STEPS):
        total += step * step
    return (time.process_time() - start) * 1e3


def row(name: str, values: Sequence[Taken], best: float, goal: float | None = None) -> str:
    """One line of the table; `best`: the loop at the best speed."""
    raw = [value.work for value in values]
    figures = min(raw), rank(raw, 0.5), rank(raw, 0.95), at_best(values, best)
    shown = " | ".join(f"{figure:.0f}" for figure in figures)
    return f"| {name} | {shown} | {'' if goal is None else f'{goal:.0f}'} |"


def at_best(values: Sequence[Taken], best: float) -> float:
    """Milliseconds that 95 of 100 stay within where the loop always takes `best`."""
    return rank([value.work * best / value.loop for value in values], 0.95)


def rank(values: Sequence[float], share: float) -> float:
    """The value that this share of all stays within."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]
