"""The code of a loop whose iterations overlap.

With `n` iterations and stages up to `d` there are `n + d` steps. The first `d` are written out (the
prologue), then a loop runs `n - d` of them, and the last `d` are written out again (the epilogue).
Where `n` is not known, or is less than `d`, each statement asks whether its iteration exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Expr, Load, Scalar, Var, walk
from tl_ascend.ir.fold import binary, compare, logic, substitute
from tl_ascend.ir.nodes import Alloc, Block, Buffer, For, If, Let, Region, Stmt, exprs_of
from tl_ascend.ir.rewrite import Rewriter
from tl_ascend.passes.pipeline_plan import Plan


class _Replace(Rewriter):
    """Variables by values."""

    def __init__(self, values: Mapping[Expr, Scalar]) -> None:
        self._values = values

    def leaf(self, value: Expr) -> Any:
        return self._values.get(value, value)


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


def without_lets(body: Block) -> Block:
    """The body with the values of its names in their place. What is read from memory keeps its
    name, and the loop its plain form."""
    values: dict[Expr, Scalar] = {}
    done: list[Stmt] = []
    for stmt in body:
        if isinstance(stmt, Let) and not any(
            isinstance(n, Load) for v in exprs_of(stmt) for n in walk(v)
        ):
            values[stmt.var] = substitute(stmt.value, values)
        else:
            done.extend(_Replace(dict(values)).stmt(stmt))
    return tuple(done)


def _loads(value: Scalar) -> bool:
    return any(isinstance(node, Load) for node in walk(value))


def overlapped(loop: For, plan: Plan) -> Block:
    """Prologue, steady part and epilogue."""
    depth = plan.depth
    steps = [stmt for step in range(depth) for stmt in _step(loop, plan, step)]
    steady = binary("max", binary("-", loop.extent, depth), 0)
    at = Var(loop.var.name, loop.var.uid, "loop", 0, top_of(steady), loop.var.type)
    body = _step(loop, plan, binary("+", at, depth), steady=True)
    if not isinstance(steady, int) or steady > 0:
        steps.append(For(at, 0, steady, "serial", body, loop.span))
    end = binary("max", loop.extent, depth)
    for step in range(depth):
        steps += _step(loop, plan, binary("+", end, step))
    return tuple(steps)


def top_of(extent: Scalar) -> int | None:
    """The highest value of a loop variable, where the number of iterations has a bound."""
    high = interval(extent)[1]
    return None if high is None else max(high - 1, 0)


def _step(loop: For, plan: Plan, step: Scalar, steady: bool = False) -> Block:
    """What one step does, each statement for an iteration of its own."""
    done: list[Stmt] = []
    for at in plan.sequence:
        iteration = binary("-", step, plan.stages[at])
        exists: Scalar = True
        if not steady:
            first, last = compare(">=", iteration, 0), compare("<", iteration, loop.extent)
            exists = logic("and", (first, last))
        if not isinstance(exists, Expr) and not exists:
            continue
        code = instance(loop, plan.versions, loop.body[at], iteration, iteration)
        done.extend(code if not isinstance(exists, Expr) else (If(exists, code, (), loop.span),))
    return tuple(done)


def instance(
    loop: For, versions: Mapping[int, int], stmt: Stmt, iteration: Scalar, version: Scalar
) -> Block:
    """A statement for one iteration, counted from 0."""
    values: dict[Expr, Scalar] = {loop.var: binary("+", loop.start, iteration)}
    return Versions(versions, version).block(_Replace(values).stmt(stmt))
