"""Numbers for scalar parameters: different ones, with which no operation leaves things as they are.

A whole number that steers (a bound of a loop, an index, a condition, the extent of a copy) is as large
as the largest size instead, so that loops run and tensors are filled.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, cycle
from typing import Any

from tests.proofs import sizes as sizing

from tl_ascend.ir.expr import Var, free_vars, loads
from tl_ascend.ir.nodes import Kernel, Stmt, Store, TileOp, exprs_of, regions_of, walk_stmts
from tl_ascend.ops.table import TABLE

FLOATS = (1.75, 0.625, 1.375, 0.875, 1.125)  # which all types of floats hold
WHOLE = (5, 3, 7, 11, 13)
VALUES = frozenset({"region", "scalar", "operand", "any"})  # kinds of parameters that hold data


def numbers(kernel: Kernel, sizes: sizing.Sizes) -> dict[Var, Any]:
    """A number for each scalar parameter."""
    steers = steering(kernel)
    floats, whole = cycle(FLOATS), cycle(WHOLE)
    found: dict[Var, Any] = {}
    for param in kernel.params:
        var = param.value
        if not isinstance(var, Var):
            continue
        if var.dtype.kind == "float":
            found[var] = next(floats)
        elif var in steers or var in sizes or var.dtype.bits < 8:
            found[var] = sizing.number(var, sizes)
        else:
            found[var] = next(whole)
    return found


def steering(kernel: Kernel) -> set[Var]:
    """What takes part in saying which elements are touched, and how often."""
    values = [kernel.launch.blocks] if kernel.launch is not None else []
    for stmt in walk_stmts(kernel.body):
        values += _steering(stmt)
        for value in exprs_of(stmt):
            values += chain.from_iterable(load.indices for load in loads(value))
    return set(chain.from_iterable(map(free_vars, values)))


def _steering(stmt: Stmt) -> Iterator[Any]:
    """Names and variables may be bounds later."""
    if isinstance(stmt, TileOp):
        for region in regions_of(stmt):
            yield from (*region.starts, *region.extents)
        for param, value in zip(TABLE[stmt.op].params, stmt.args, strict=False):
            if param.kind not in VALUES:
                yield from value if isinstance(value, tuple) else (value,)
    elif isinstance(stmt, Store):
        yield from stmt.indices
        if stmt.buffer.scope.startswith("local"):
            yield stmt.value
    else:
        yield from exprs_of(stmt)
