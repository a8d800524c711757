"""Rebuild statements with other expressions, buffers or regions in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tl_ascend.ir.expr import Binary, Call, Cast, Compare, Expr, Load, Logic, Select
from tl_ascend.ir.fold import binary, compare, logic, select
from tl_ascend.ir.nodes import (
    Alloc,
    Block,
    Buffer,
    For,
    If,
    Let,
    Region,
    Stmt,
    Store,
    TileOp,
    While,
    blocks_of,
    with_blocks,
)


class Rewriter:
    """Override what should change; the rest is rebuilt around it. Expressions are folded again."""

    def block(self, block: Block) -> Block:
        return tuple(new for stmt in block for new in self.stmt(stmt))

    def stmt(self, stmt: Stmt) -> Block:
        """The statements that replace one."""
        inner = tuple(self.block(nested) for nested in blocks_of(stmt))
        return (self.head(with_blocks(stmt, inner) if inner else stmt),)

    def head(self, stmt: Stmt) -> Stmt:
        """A statement with its own expressions and operands rebuilt, nested blocks left alone."""
        if isinstance(stmt, Alloc):
            return replace(stmt, buffer=self.buffer(stmt.buffer))
        if isinstance(stmt, TileOp):
            extra = tuple(self.region(region) for region in stmt.extra)
            return replace(stmt, args=tuple(map(self.arg, stmt.args)), extra=extra)
        if isinstance(stmt, Store):
            load = self.expr(Load(stmt.buffer, stmt.indices))
            value = self.expr(stmt.value)
            return replace(stmt, buffer=load.buffer, indices=load.indices, value=value)
        if isinstance(stmt, Let):
            return replace(stmt, value=self.expr(stmt.value))
        if isinstance(stmt, For):
            return replace(stmt, start=self.expr(stmt.start), extent=self.expr(stmt.extent))
        if isinstance(stmt, (If, While)):
            return replace(stmt, condition=self.expr(stmt.condition))
        return stmt

    def buffer(self, buffer: Buffer) -> Buffer:
        return buffer

    def region(self, region: Region) -> Region:
        starts = tuple(map(self.expr, region.starts))
        extents = tuple(map(self.expr, region.extents))
        return replace(region, buffer=self.buffer(region.buffer), starts=starts, extents=extents)

    def arg(self, arg: Any) -> Any:
        if isinstance(arg, Region):
            return self.region(arg)
        return tuple(map(self.arg, arg)) if isinstance(arg, tuple) else self.expr(arg)

    def expr(self, value: Any) -> Any:
        """An expression, rebuilt from the leaves; anything else as it is."""
        if isinstance(value, Binary):
            return binary(value.op, self.expr(value.a), self.expr(value.b))
        if isinstance(value, Compare):
            return compare(value.op, self.expr(value.a), self.expr(value.b))
        if isinstance(value, Logic):
            return logic(value.op, tuple(map(self.expr, value.operands)))
        if isinstance(value, Select):
            return select(*map(self.expr, value.fields))
        if isinstance(value, Cast):
            return Cast(value.type, self.expr(value.value))
        if isinstance(value, Load):
            return self.load(value)
        if isinstance(value, Call):
            return Call(value.name, tuple(map(self.arg, value.args)), value.type)
        return self.leaf(value) if isinstance(value, Expr) else value

    def load(self, load: Load) -> Any:
        return Load(self.buffer(load.buffer), tuple(map(self.expr, load.indices)))

    def leaf(self, value: Expr) -> Any:
        return value
