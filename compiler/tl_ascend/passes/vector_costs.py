"""How many scalar operations a loop takes that is no vector code."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.nodes import For, Stmt, Store, TileOp, blocks_of
from tl_ascend.ir.text import show


def operations(block: Sequence[Stmt]) -> int:
    """How many stores and calls one turn of a loop makes; an inner loop whose extent is not known counts
    once."""
    count = 0
    for stmt in block:
        inner = sum(map(operations, blocks_of(stmt)))
        known = isinstance(stmt, For) and isinstance(stmt.extent, int)
        count += inner * int(stmt.extent) if known else inner  # type: ignore[union-attr]
        count += isinstance(stmt, (Store, TileOp))
    return count


def show_cost(extents: Sequence[Scalar], stores: int) -> str:
    """How many element stores a loop nest makes."""
    known = [int(e) for e in extents if not isinstance(e, Expr)]
    symbolic = [show(e) for e in extents if isinstance(e, Expr)]
    return " x ".join([*symbolic, str(prod(known) * stores)])
