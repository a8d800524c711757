"""Arithmetic of the scalar unit, which has no 16-bit floating point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tl_ascend.checks.context import CheckContext
from tl_ascend.ir.expr import Binary, Expr, Load, dtype_of, walk
from tl_ascend.ir.nodes import Stmt, Store, TileOp, exprs_of, walk_stmts
from tl_ascend.ir.text import show
from tl_ascend.source.span import Span

_HALVES = {"float16", "bfloat16"}


def scalar_half(context: CheckContext) -> None:
    """Upstream's compiler writes such arithmetic as it stands; the device compiler refuses it."""
    if context.upstream == "none":
        return
    told: set[tuple[Span, Expr]] = set()
    for stmt in walk_stmts(context.after.body):
        for value, span in _computed(stmt):
            found = _arithmetic(value)
            if found is None or (span, found[0]) in told:
                continue
            node, kind = found
            told.add((span, node))
            context.report.add(
                "scalar-half",
                span,
                f"{show(node)} is {kind} arithmetic of the scalar unit, which has none: the device "
                "compiler refuses what upstream writes for it",
                notes=(
                    "Use a T.tile operation on a slice, or cast the elements to float32 first.",
                ),
            )


def _computed(stmt: Stmt) -> Iterator[tuple[Expr, Span]]:
    """What the scalar unit computes for a statement, and where it is written. Operands of loops that
    became vector operations are none of the author's calls."""
    if isinstance(stmt, Store):
        values: Iterator[tuple[Any, Span]] = iter([(stmt.value, stmt.value_span or stmt.span)])
    elif isinstance(stmt, TileOp):
        args = () if stmt.loop is not None else stmt.args
        spans = stmt.spans if len(stmt.spans) == len(stmt.args) else (stmt.span,) * len(stmt.args)
        values = ((arg, at) for arg, at in zip(args, spans, strict=False))
    else:
        values = ((value, stmt.span) for value in exprs_of(stmt))
    return (one for one in values if isinstance(one[0], Expr))


def _arithmetic(value: Expr) -> tuple[Binary, str] | None:
    """The first operation on 16-bit floats, and their type; numbers take the type of the other."""
    for node in walk(value):
        if isinstance(node, Binary):
            kinds = {dtype_of(n).name for n in (node.a, node.b) if isinstance(n, Expr)}
            if len(kinds) == 1 and kinds <= _HALVES and _loads(node):
                return node, kinds.pop()
    return None


def _loads(node: Binary) -> bool:
    return any(isinstance(n, Load) for n in (node.a, node.b))
