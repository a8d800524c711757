"""Loops that are no vector code: what they are instead, and how many operations these take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.nodes import Block, For, Stmt, Store, TileOp, While, blocks_of, with_blocks
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


def other_statement(stmt: Stmt) -> str:
    """Why a statement that is no store is no vector code."""
    if isinstance(stmt, For):
        return f"a {stmt.kind} loop in the body"
    if isinstance(stmt, While):
        return "a while loop in the body"
    return "the body is more than element-wise stores"


def scalar_loop(loops: Sequence[For], body: Block) -> Stmt:
    """The loops around one statement, one element after the other."""
    inner: Block = tuple(_serial(stmt) for stmt in body)
    for loop in reversed(loops):
        inner = (replace(loop, kind="serial", body=inner),)
    return inner[0]


def _serial(stmt: Stmt) -> Stmt:
    if isinstance(stmt, For) and stmt.kind == "parallel":
        stmt = replace(stmt, kind="serial")
    inner = tuple(tuple(_serial(s) for s in block) for block in blocks_of(stmt))
    return with_blocks(stmt, inner) if inner else stmt
