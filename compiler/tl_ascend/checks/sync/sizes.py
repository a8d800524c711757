"""Sizes for symbolic dimensions, with which loops turn often enough to show what they carry on.

A loop over a dimension may take a large one to go around a second time: blocks share its turns, and
each takes many rows. With fewer turns nothing is there that could be loose. Lengths that only the
device knows keep loops within their tensors: behind these copies are others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tl_ascend.checks.sync.values import POLICIES, Policy, Unknown, Values, first_values
from tl_ascend.ir.nodes import For, Kernel, Let, Region, Stmt, Store, TileOp, regions_of, walk_stmts
from tl_ascend.ir.storage import root

TURNS = 8  # two rounds of four slots, four of two
ROUND = 6  # turns of slots by two and by three: one execution has whole rounds, one lacks a turn
MOST_TRIED = 16
LARGEST = 1 << 24
STEP = 512  # no tails but those that any size has
SHORTER = (66, 34, 18, 10, 6, 4, 3)  # steps of unknown values that keep more loops within tensors


def policies_of(kernel: Kernel) -> tuple[Policy, ...]:
    """What is taken for what a kernel leaves open: two of the executions have sizes with which its
    loops turn often, and not equally often."""
    first, second, third, *rest = POLICIES
    unknown: list[int] = []
    short = _lengths(kernel, first.size, unknown)
    if unknown:
        first = _within(kernel, first)
    policies = (first, *POLICIES[1:])
    if all(length >= TURNS for length in short.values()):
        return policies
    long = _lengths(kernel, LARGEST)
    loops = [at for at, length in short.items() if length < TURNS <= long.get(at, 0)]
    if not loops:
        return policies

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


def _within(kernel: Kernel, policy: Policy) -> Policy:
    """With a step for unknown values with which loops of unknown length stay within their tensors."""
    for step in (policy.step, *SHORTER):
        shorter = replace(policy, step=step)
        if _outside(kernel, shorter, last=True) <= _outside(kernel, shorter, last=False):
            return shorter
    return policy


def _outside(kernel: Kernel, policy: Policy, last: bool) -> set[tuple[int, int, int]]:
    """The operands, by statement and axis, that go over the ends of their tensors in the last turns of
    loops, or in the first ones."""
    values = first_values(kernel, policy, {})
    found: set[tuple[int, int, int]] = set()
    for stmt in walk_stmts(kernel.body):
        _name(stmt, values)
        if isinstance(stmt, For):
            start, extent = (int(values.way(value)[0]) for value in (stmt.start, stmt.extent))
            values.env[stmt.var] = start + max(extent - 1, 0) * last
        elif isinstance(stmt, TileOp):
            for at, region in enumerate(regions_of(stmt)):
                found.update((id(stmt), at, axis) for axis in _over(region, kernel, values))
    return found


def _over(region: Region, kernel: Kernel, values: Values) -> list[int]:
    """The axes along which an operand goes over the end of its tensor."""
    if root(region.buffer).uid not in {tensor.uid for tensor in kernel.tensors}:
        return []
    parts = zip(region.starts, region.extents, region.buffer.shape, strict=False)
    found = []
    for axis, (start, extent, limit) in enumerate(parts):
        try:
            if values.number(start) + values.number(extent) > values.number(limit):
                found.append(axis)
        except (Unknown, TypeError):
            continue
    return found


def _name(stmt: Stmt, values: Values) -> None:
    if isinstance(stmt, Let):
        values.bind(stmt)
    elif isinstance(stmt, Store):
        values.store(stmt)


def _lengths(kernel: Kernel, size: int, unknown: list[int] | None = None) -> dict[int, int]:
    """How often loops turn in the first block, by their place among all statements: those whose
    length a size decides, where nothing else that is open does. `unknown`: gets the others."""
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
            if not certain and unknown is not None:
                unknown.append(at)
    return found
