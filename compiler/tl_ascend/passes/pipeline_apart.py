"""Whether statements of different iterations of a loop certainly touch nothing in common."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Scalar, Var, loads
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import For, Let, Region, Stmt, within
from tl_ascend.ir.storage import root
from tl_ascend.passes.sync_access import never_meet

Touched = tuple[Region, bool]  # with whether it is written


def keep_apart(loop: For, one: Stmt, other: Stmt, uid: int, by: int) -> bool:
    """True where what `one` does with a buffer in any iteration, and `other` does `by` iterations
    later, may be done in either order."""
    later: dict[Expr, Scalar] = {loop.var: binary("+", loop.var, by)}
    for stmt in within(other):
        if isinstance(stmt, (For, Let)):  # its values are others then
            var = stmt.var
            later[var] = Var(var.name, -var.uid, var.role, var.low, var.high, var.type)
    theirs = [*_touched(other, uid)]
    return all(
        not (written or overwritten) or _apart(mine, its, later)
        for mine, written in _touched(one, uid)
        for its, overwritten in theirs
    )


def _touched(stmt: Stmt, uid: int) -> Iterator[Touched]:
    for inner in within(stmt):
        effect = effect_of(inner)
        every = [(region, False) for region in (*effect.reads, *effect.scalars)]
        every += [(region, True) for region in effect.writes]
        yield from (entry for entry in every if root(entry[0].buffer).uid == uid)


def _apart(one: Region, other: Region, later: dict[Expr, Scalar]) -> bool:
    """True where two regions share nothing, the other one with later values of its variables."""
    if one.buffer != other.buffer or {len(one.starts), len(other.starts)} != {one.buffer.rank}:
        return False
    boxes = zip(one.starts, one.extents, other.starts, other.extents, strict=True)
    return any(
        not any(map(loads, box))
        and never_meet(*box[:2], substitute(box[2], later), substitute(box[3], later))
        for box in boxes
    )
