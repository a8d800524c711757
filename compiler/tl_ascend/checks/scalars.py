"""Arithmetic of the scalar unit, which has no 16-bit floating point."""

from __future__ import annotations

from tl_ascend.checks.context import CheckContext
from tl_ascend.ir.expr import Binary, Expr, Load, Scalar, dtype_of, walk
from tl_ascend.ir.nodes import Store, walk_stmts
from tl_ascend.ir.text import show

_HALVES = {"float16", "bfloat16"}


def scalar_half(context: CheckContext) -> None:
    """Upstream's compiler writes such arithmetic as it stands; the device compiler refuses it."""
    if context.upstream == "none":
        return
    for stmt in walk_stmts(context.after.body):
        if isinstance(stmt, Store) and (found := _arithmetic(stmt.value)) is not None:
            node, kind = found
            context.report.add(
                "scalar-half",
                stmt.value_span or stmt.span,
                f"{show(node)} is {kind} arithmetic of the scalar unit, which has none: the device "
                "compiler refuses what upstream writes for it",
                notes=(
                    "Use a T.tile operation on a slice, or cast the elements to float32 first.",
                ),
            )


def _arithmetic(value: Scalar) -> tuple[Binary, str] | None:
    """The first operation on 16-bit floats, and their type; numbers take the type of the other."""
    for node in walk(value):
        if isinstance(node, Binary):
            kinds = {dtype_of(n).name for n in (node.a, node.b) if isinstance(n, Expr)}
            if len(kinds) == 1 and kinds <= _HALVES and _loads(node):
                return node, kinds.pop()
    return None


def _loads(node: Binary) -> bool:
    return any(isinstance(n, Load) for n in (node.a, node.b))
