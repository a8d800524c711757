"""Remove what can never run: loops without iterations, branches that are decided."""

from __future__ import annotations

from dataclasses import replace

from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Block, For, If, Kernel, Stmt, While, blocks_of, with_blocks
from tl_ascend.passes.context import PassContext


def simplify(kernel: Kernel, context: PassContext) -> Kernel:
    """The same kernel without dead code."""
    return replace(kernel, body=_block(kernel.body))


def _block(block: Block) -> Block:
    done: list[Stmt] = []
    for stmt in block:
        inner = tuple(_block(nested) for nested in blocks_of(stmt))
        stmt = with_blocks(stmt, inner) if inner else stmt
        if isinstance(stmt, If) and not isinstance(stmt.condition, Expr):
            done.extend(stmt.then if stmt.condition else stmt.other)
        elif not _dead(stmt):
            done.append(stmt)
    return tuple(done)


def _dead(stmt: Stmt) -> bool:
    if isinstance(stmt, For):
        return not stmt.body or (isinstance(stmt.extent, int) and stmt.extent <= 0)
    if isinstance(stmt, If):
        return not stmt.then and not stmt.other
    return isinstance(stmt, While) and not isinstance(stmt.condition, Expr) and not stmt.condition
