"""Arithmetic of bfloat16 as that of float32: the vector unit only converts it.

Values are converted as they are read, and the result once, where it is stored: what is between is not
rounded. A conversion that the author wrote stays one.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tl_ascend.ir.expr import Binary, Call, Cast, Compare, Const, Expr, Load, Scalar, Select, walk
from tl_ascend.ir.rewrite import Rewriter
from tl_ascend.target.dtypes import BY_NAME, FLOAT32

BFLOAT16 = BY_NAME["bfloat16"]


def widened(value: Scalar) -> Scalar:
    """The value with its bfloat16 arithmetic in float32; as it is where there is none."""
    if not isinstance(value, Expr) or not any(map(_computes, walk(value))):
        return value
    wide: Scalar = _Widened().expr(value)
    return wide


def repeated(value: Scalar) -> frozenset[Expr]:
    """The conversions in a value that are needed more than once."""
    found = Counter(
        part
        for node in walk(value)
        for part in node.children
        if isinstance(part, Cast) and isinstance(part.value, Load)
    )
    return frozenset(part for part, count in found.items() if count > 1)


def _computes(node: Expr) -> bool:
    parts = [part for part in node.children if isinstance(part, Expr)]
    computes = isinstance(node, (Binary, Call, Compare, Select))
    return computes and any(part.dtype == BFLOAT16 for part in parts)


class _Widened(Rewriter):
    def expr(self, value: Any) -> Any:
        if isinstance(value, Cast) and value.type == BFLOAT16:
            return Cast(FLOAT32, super().expr(value))
        if isinstance(value, Call) and value.type == BFLOAT16:
            return Call(value.name, tuple(map(self.arg, value.args)), FLOAT32)
        return super().expr(value)

    def load(self, load: Load) -> Any:
        return Cast(FLOAT32, load) if load.dtype == BFLOAT16 else super().load(load)

    def leaf(self, value: Expr) -> Any:
        known = isinstance(value, Const) and value.dtype == BFLOAT16
        return Const(value.value, FLOAT32) if known else value
