"""Numbers for scalar parameters: different ones, with which no operation leaves things as they are.

Whole numbers that steer (a bound of a loop, an index, a condition, the extent of a copy) are instead
almost as large as the largest size, so that loops run and tensors are filled, and different where the
kernel takes such; else as large; else small. What is only compared is small, so that both is the case.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, cycle
from typing import Any

from tests.proofs import sizes as sizing

from tl_ascend.ir.expr import Var, free_vars, loads
from tl_ascend.ir.nodes import If, Kernel, Stmt, Store, TileOp, exprs_of, regions_of, walk_stmts
from tl_ascend.ops.table import TABLE

FLOATS = (1.75, 0.625, 1.375, 0.875, 1.125)  # which all types of floats hold
WHOLE = (5, 7, 11, 13, 17)  # rising: of `max(n, m - i)` both are taken
VALUES = frozenset({"region", "scalar", "operand", "any"})  # kinds of parameters that hold data


def spread(kernel: Kernel, choices: list[sizing.Sizes]) -> list[sizing.Sizes]:
    """Choices of sizes, with numbers for what steers and is none: what tells most comes first."""
    known = set(sizing.symbols(kernel))
    steers = [v for p in kernel.params if isinstance(v := p.value, Var) and v in steering(kernel)]
    whole = [v for v in steers if v not in known and v.dtype.kind != "float" and v.dtype.bits >= 8]
    compared = {var: at for at, var in enumerate(_compared(kernel, whole), 1)}
    if len(whole) < 2 and not compared:
        return choices
    large = [{**c, **dict(zip(whole, _primes(c), strict=False)), **compared} for c in choices]
    small = [{**c, **dict(zip(whole, cycle(WHOLE), strict=False))} for c in choices]
    return [*large, *choices, *small]


def _compared(kernel: Kernel, whole: list[Var]) -> list[Var]:
    """Those that only conditions speak of: some turns of a loop are on either side of small numbers."""
    stmts = walk_stmts(kernel.body)
    inside = {var for s in stmts if isinstance(s, If) for var in free_vars(s.condition)}
    for stmt in stmts:
        others = () if isinstance(stmt, If) else exprs_of(stmt)
        inside -= set(chain.from_iterable(map(free_vars, others)))
    return [var for var in whole if var in inside]


def _primes(sizes: sizing.Sizes) -> list[int]:
    """Prime numbers below the largest size, the largest first. None is 1 or -1 modulo other numbers: a
    factor would be as good as none."""
    below = range(max(sizes.values(), default=sizing.SIZE) - 1, WHOLE[-1], -1)
    prime = (n for n in below if all(n % by for by in range(2, int(n**0.5) + 1)))
    return [n for n in prime if all(1 < n % by < by - 1 for by in WHOLE[:3])]


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
