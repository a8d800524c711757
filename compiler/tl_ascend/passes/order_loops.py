"""Order the calls that one `T.Parallel` loop became, in kernels that their author synchronises.

He orders the loop as a whole, before and behind it; what lies between its calls is ours alone.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from tl_ascend.ir.nodes import (
    AUTO_SYNC,
    Block,
    CoreScope,
    For,
    If,
    Kernel,
    Stmt,
    TileOp,
    blocks_of,
    walk_stmts,
    with_blocks,
)
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.insert_sync import ordered
from tl_ascend.source.span import Span


def order_loops(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel with barriers and flags inside of what were single loops."""
    calls = [stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp)]
    loops = frozenset(call.loop for call in calls if call.loop is not None)
    if kernel.options.on(AUTO_SYNC) or not loops:
        return kernel
    return replace(kernel, body=_block(kernel.body, kernel, loops, kernel.body))


def _block(block: Block, kernel: Kernel, loops: frozenset[Span], code: Block) -> Block:
    done: list[Stmt] = []
    for loop, group in groupby(block, lambda stmt: _origin(stmt, loops)):
        stmts = tuple(group)
        if loop is not None:
            done += ordered(stmts, kernel, code)
            continue
        for stmt in stmts:
            around = stmt.body if isinstance(stmt, CoreScope) else code
            inner = tuple(_block(nested, kernel, loops, around) for nested in blocks_of(stmt))
            done.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(done)


def _origin(stmt: Stmt, loops: frozenset[Span]) -> Span | None:
    """The loop that all of a statement came of: a call, a loop over rows or elements, a branch."""
    if isinstance(stmt, TileOp):
        return stmt.loop
    if isinstance(stmt, For):
        return stmt.span if stmt.span in loops else None
    if isinstance(stmt, If):
        found = {_origin(inner, loops) for inner in (*stmt.then, *stmt.other)}
        return found.pop() if len(found) == 1 else None
    return None
