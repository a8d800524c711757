"""Blocks in parts: calls in a row that nothing changes give pipes the same to do whenever they are
reached, and are followed as one."""

from __future__ import annotations

from typing import Any, TypeAlias

from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Block, TileOp, exprs_of, regions_of
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE

Part: TypeAlias = Any  # a statement, or a list of calls: what a class tells quickest


class Stretches:
    """The parts of each block of a kernel, found once."""

    def __init__(self) -> None:
        self._parts: dict[int, list[Part]] = {}

    def of(self, block: Block) -> list[Part]:
        """Its statements; where several calls in a row are always the same, these as a list."""
        known = self._parts.get(id(block))
        return self._cut(block) if known is None else known

    def _cut(self, block: Block) -> list[Part]:
        parts: list[Part] = []
        row: list[TileOp] = []
        for stmt in block:
            if isinstance(stmt, TileOp) and (idle(TABLE.get(stmt.op)) or still(stmt)):
                row.append(stmt)
                continue
            parts += [row] if len(row) > 1 else row
            parts.append(stmt)
            row = []
        parts += [row] if len(row) > 1 else row
        self._parts[id(block)] = parts
        return parts


def idle(row: Op | None) -> bool:
    """True for calls that give no pipe anything to do."""
    return row is None or row.family == "debug"


def still(op: TileOp) -> bool:
    """True where nothing changes what a call does."""
    if exprs_of(op):
        return False
    for region in regions_of(op):
        for values in (region.starts, region.extents, region.buffer.shape):
            for value in values:
                if value.__class__ is not int and isinstance(value, Expr):
                    return False
    return True
