"""The code of a loop whose iterations overlap.

With `n` iterations and stages up to `d` there are `n + d` steps. The first `d` are written out (the
prologue), then a loop runs `n - d` of them, and the last `d` are written out again (the epilogue).
Where `n` is not known, or is less than `d`, each statement asks whether its iteration exists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Expr, Load, Scalar, Var
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.nodes import Alloc, Block, Buffer, For, If, Region, Stmt
from tl_ascend.ir.rewrite import Rewriter
from tl_ascend.passes.pipeline_plan import Plan


class Replace(Rewriter):
    """Variables by values."""

    def __init__(self, values: Mapping[Expr, Scalar]) -> None:
        self._values = values

    def leaf(self, value: Expr) -> Any:
        return self._values.get(value, value)


class Renamed(Rewriter):
    """Tiles by others. `own`: by buffer."""

    def __init__(self, own: Mapping[int, Buffer]) -> None:
        self._own = own

    def buffer(self, buffer: Buffer) -> Buffer:
        return self._own.get(buffer.uid, buffer)


class Versions(Rewriter):
    """Tiles by one of their versions. `counts`: by buffer."""

    def __init__(self, counts: Mapping[int, int], iteration: Scalar = 0) -> None:
        self._counts, self._iteration = counts, iteration

    def buffer(self, buffer: Buffer) -> Buffer:
        return _wide(buffer, self._counts)

    def region(self, region: Region) -> Region:
        new = super().region(region)
        count = self._counts.get(region.buffer.uid)
        if count is None:
            return new
        starts = (binary("%", self._iteration, count), *new.starts)
        return Region(new.buffer, starts, (1, *new.extents), "slice", new.span)

    def load(self, load: Load) -> Any:
        new = super().load(load)
        count = self._counts.get(load.buffer.uid)
        if count is None:
            return new
        return Load(new.buffer, (binary("%", self._iteration, count), *new.indices))


def versioned_allocations(block: Block, counts: Mapping[int, int]) -> Block:
    """The code with room for the versions in its declarations; nothing else is changed."""
    return _Declarations(counts).block(block)


class _Declarations(Rewriter):
    def __init__(self, counts: Mapping[int, int]) -> None:
        self._counts = counts

    def head(self, stmt: Stmt) -> Stmt:
        return super().head(stmt) if isinstance(stmt, Alloc) else stmt

    def buffer(self, buffer: Buffer) -> Buffer:
        return _wide(buffer, self._counts)


def _wide(buffer: Buffer, counts: Mapping[int, int]) -> Buffer:
    count = counts.get(buffer.uid)
    if count is None:
        return buffer
    shape = (count, *buffer.shape)
    return Buffer(buffer.name, buffer.uid, shape, buffer.dtype, buffer.scope, buffer.span)


def overlapped(loop: For, plan: Plan) -> Block:
    """Prologue, steady part and epilogue."""
    depth, count = plan.depth, loop.extent
    steps: list[Stmt] = []
    for step in range(depth):
        parts = [(at, step - k) for at, k in _staged(plan) if k <= step]
        steps += _step(loop, plan, [(at, i, compare("<", i, count)) for at, i in parts])
    steady = binary("max", binary("-", count, depth), 0)
    if steady == 1:  # no loop, in which flags would have to stand
        steps += _step(loop, plan, [(n, depth - k, True) for n, k in _staged(plan)])
    elif not isinstance(steady, int) or steady > 1:
        at = Var(loop.var.name, loop.var.uid, "loop", 0, top_of(steady), loop.var.type)
        shifted = [(n, binary("-", binary("+", at, depth), k), True) for n, k in _staged(plan)]
        steps.append(For(at, 0, steady, "serial", _step(loop, plan, shifted), loop.span))
    end = binary("max", count, depth)
    for step in range(depth):
        # Of n iterations, `end + step - k` exists where k > step, and the loop has more than
        # `depth + step - k`: for n >= depth that is so, else the prologue has begun no other.
        late = [(at, k) for at, k in _staged(plan) if k > step]
        steps += _step(
            loop,
            plan,
            [
                (at, binary("-", end, k - step), compare("<", depth + step - k, count))
                for at, k in late
            ],
        )
    return tuple(steps)


def _staged(plan: Plan) -> list[tuple[int, int]]:
    """The statements in the order of a step, with their stages."""
    return [(at, plan.stages[at]) for at in plan.sequence]


def top_of(extent: Scalar) -> int | None:
    """The highest value of a loop variable, where the number of iterations has a bound."""
    high = interval(extent)[1]
    return None if high is None else max(high - 1, 0)


def _step(loop: For, plan: Plan, parts: Sequence[tuple[int, Scalar, Scalar]]) -> Block:
    """What one step does: statements by number, each for an iteration of its own, under the condition
    that it exists. Neighbours under one condition are one branch."""
    done: list[Stmt] = []
    for exists, group in groupby(parts, key=itemgetter(2)):
        code = tuple(
            stmt
            for at, iteration, _ in group
            for stmt in instance(loop, plan.versions, loop.body[at], iteration, iteration)
        )
        if isinstance(exists, Expr):
            done.append(If(exists, code, (), loop.span))
        elif exists:
            done.extend(code)
    return tuple(done)


def instance(
    loop: For, versions: Mapping[int, int], stmt: Stmt, iteration: Scalar, version: Scalar
) -> Block:
    """A statement for one iteration, counted from 0."""
    values: dict[Expr, Scalar] = {loop.var: binary("+", loop.start, iteration)}
    return Versions(versions, version).block(Replace(values).stmt(stmt))
