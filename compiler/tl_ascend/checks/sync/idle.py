"""Sets of a flag by a pipe that has done nothing yet: they say nothing, and let the other pipe go too
early. A flag that lets the first iteration of a loop through leads the other way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tl_ascend.checks.sync.engine import Engine
from tl_ascend.checks.sync.events import SCALAR, Event, Kind, Program
from tl_ascend.checks.sync.execute import Executions, program_of
from tl_ascend.checks.sync.outcome import Pair, Stuck


def turned_round(stuck: Stuck, program: Program) -> Event | None:
    """The set that ought to be the one for a wait: with its pipes, and those of the last wait for it,
    the other way round the program ends."""
    if not program.whole or program.open or program.sized:
        return None
    flag: Any = stuck.event.flag
    other = (flag[1], flag[0], flag[2])
    idle = (e for order, e in _idle(program) if e.flag == other and order < stuck.order)
    first = next(idle, None)
    waits = [e for e in program.events if e.kind is Kind.WAIT and e.flag == other]
    if first is None or not waits:
        return None
    turned = {id(first): _turned(first, flag, 0), id(waits[-1]): _turned(waits[-1], flag, 1)}
    events = [turned.get(id(event), event) for event in program.events]
    outcome = Engine([Program(events)], cross=False).run()
    return None if outcome.stuck or outcome.left or outcome.doubled else first


def _turned(event: Event, flag: Any, pipe: int) -> Event:
    return Event(event.kind, flag[pipe], event.stmt, event.place, (), flag, event.branches)


def too_early(pair: Pair, found: Executions) -> Event | None:
    """The set that let the second of two accesses go before the first."""
    if not pair.early or pair.cores[0] != pair.cores[1]:
        return None
    program = program_of(pair.after, (run for runs in found.groups for run in runs))
    return None if program is None else _let_go(pair, program)


def _let_go(pair: Pair, program: Program) -> Event | None:
    """The last idle set whose wait stands before the second access."""
    idle = [(e, number) for e, number in _numbered(program) if e.flag[:2] == pair.pipes]
    waits: Counter[Any] = Counter()
    for event in program.events:
        if event is pair.after:
            break
        if event.kind is Kind.WAIT:
            waits[event.flag] += 1
    passed = [event for event, number in idle if waits[event.flag] > number]
    return passed[-1] if passed else None


def _numbered(program: Program) -> Iterator[tuple[Event, int]]:
    """Idle sets, and how many of the flag stand before each."""
    counts: Counter[Any] = Counter()
    for _, event in _idle(program):
        yield event, counts[event.flag]
        counts[event.flag] += 1


def _idle(program: Program) -> Iterator[tuple[int, Event]]:
    """Sets before any work of their pipe, and where they stand."""
    busy: set[int] = set()
    for order, event in enumerate(program.events):
        flag: Any = event.flag
        if event.kind is Kind.WORK:
            busy.add(event.pipe)
        elif event.kind is Kind.SET and flag[0] != "template":
            if event.pipe not in busy and event.pipe != SCALAR:
                yield order, event
