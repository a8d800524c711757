"""Which cores meet at T.sync_all."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.ir.nodes import CoreScope, Kernel, Stmt, TileOp, blocks_of, walk_stmts
from tl_ascend.target.hardware import Core

BOTH = frozenset({Core.CUBE, Core.VECTOR})


def joining(kernel: Kernel) -> frozenset[Core]:
    """The halves of which cores come to a T.sync_all, as far as scopes tell."""
    return frozenset(half for halves in _halves(kernel.body, BOTH) for half in halves)


def first_meeting(kernel: Kernel) -> TileOp | None:
    """The first T.sync_all of the text."""
    stmts = walk_stmts(kernel.body)
    return next((s for s in stmts if isinstance(s, TileOp) and s.op == "sync_all"), None)


def _halves(block: tuple[Stmt, ...], around: frozenset[Core]) -> Iterator[frozenset[Core]]:
    """For each call the halves that run it."""
    for stmt in block:
        if isinstance(stmt, TileOp) and stmt.op == "sync_all":
            yield around
        inside = around & {stmt.core} if isinstance(stmt, CoreScope) else around
        for nested in blocks_of(stmt):
            yield from _halves(nested, inside)
