"""Remove what can never run, and what decides nothing: loops without iterations or with a single one,
branches that are decided."""

from __future__ import annotations

from dataclasses import replace

from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Block, Break, For, If, Kernel, Stmt, While, blocks_of, with_blocks
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.pipeline_code import Replace


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
        elif isinstance(stmt, For) and _once(stmt):
            done.extend(_block(Replace({stmt.var: stmt.start}).block(stmt.body)))
        elif not _dead(stmt):
            done.append(stmt)
    return tuple(done)


def _once(loop: For) -> bool:
    """True for a loop of one iteration that nothing leaves early."""
    if isinstance(loop.extent, Expr) or loop.extent != 1 or loop.kind == "parallel":
        return False
    return not any(_leaves(stmt) for stmt in loop.body)


def _leaves(stmt: Stmt) -> bool:
    """True where a statement ends the loop around it."""
    if isinstance(stmt, (For, While)):
        return False
    return isinstance(stmt, Break) or any(_leaves(s) for nested in blocks_of(stmt) for s in nested)


def _dead(stmt: Stmt) -> bool:
    if isinstance(stmt, For):
        return not stmt.body or (isinstance(stmt.extent, int) and stmt.extent <= 0)
    if isinstance(stmt, If):
        return not stmt.then and not stmt.other
    return isinstance(stmt, While) and not isinstance(stmt.condition, Expr) and not stmt.condition
