"""Sizes for symbolic dimensions, with which loops turn often enough to show what they carry on.

A loop over a dimension may take a large one to go around a second time: blocks share its turns, and
each takes many rows. With fewer turns nothing is there that could be loose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tl_ascend.checks.sync.values import POLICIES, Policy, first_values
from tl_ascend.ir.nodes import For, Kernel, Let, Store, walk_stmts

TURNS = 8  # two rounds of four slots, four of two
ROUND = 6  # turns of slots by two and by three: one execution has whole rounds, one lacks a turn
MOST_TRIED = 16
LARGEST = 1 << 24
STEP = 512  # no tails but those that any size has


def policies_of(kernel: Kernel) -> tuple[Policy, ...]:
    """What is taken for what a kernel leaves open: two of the executions have sizes with which its
    loops turn often, and not equally often."""
    first, second, third, *rest = POLICIES
    short = _lengths(kernel, first.size)
    if all(length >= TURNS for length in short.values()):
        return POLICIES
    long = _lengths(kernel, LARGEST)
    loops = [at for at, length in short.items() if length < TURNS <= long.get(at, 0)]
    if not loops:
        return POLICIES

    def turns(size: int) -> int:
        lengths = _lengths(kernel, size)
        return min(lengths.get(at, 0) for at in loops)

    least = _least(TURNS, turns, 2 * STEP)
    tried = range(least, least + MOST_TRIED * 2 * STEP, 2 * STEP)
    size = next((one for one in tried if turns(one) % ROUND == ROUND - 1), least)
    other = _least(turns(size) + 1, turns, STEP)
    return (replace(first, size=size), second, replace(third, size=other), *rest)


def _least(wanted: int, turns: Callable[[int], int], step: int) -> int:
    """The smallest multiple of a step with which loops turn so often."""
    low, high = 0, LARGEST // step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if turns(middle * step) >= wanted else (middle, high)
    return high * step


def _lengths(kernel: Kernel, size: int) -> dict[int, int]:
    """How often loops turn in the first block, by their place among all statements: those whose
    length a size decides, where nothing else that is open does."""
    values = first_values(kernel, replace(POLICIES[0], size=size), {})
    found: dict[int, int] = {}
    for at, stmt in enumerate(walk_stmts(kernel.body)):
        if isinstance(stmt, Let):
            values.bind(stmt)
        elif isinstance(stmt, Store):
            values.store(stmt)
        elif isinstance(stmt, For):
            values.env[stmt.var], _ = values.way(stmt.start)
            length, certain = values.way(stmt.extent)
            if certain and values.sized:
                found[at] = int(length)
    return found
