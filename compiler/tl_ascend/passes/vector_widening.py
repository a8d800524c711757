"""In which types values are computed: bfloat16 as float32, for the vector unit only converts it.

Values are converted as they are read, and the result once, where it is stored: what is between is not
rounded. A conversion that the author wrote stays one.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tl_ascend.ir.expr import (
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Load,
    Scalar,
    Select,
    promote,
    walk,
)
from tl_ascend.ir.rewrite import Rewriter
from tl_ascend.ir.text import show
from tl_ascend.passes.vector_index import NotVector
from tl_ascend.target.dtypes import BY_NAME, FLOAT32, DType

BFLOAT16 = BY_NAME["bfloat16"]


def computed_type(value: Scalar) -> DType | None:
    """The type in which a value is computed; None for numbers and names, which adapt."""
    if isinstance(value, (Load, Cast, Const)):
        return value.dtype
    if isinstance(value, (Binary, Call, Select)):
        parts = value.children[1:] if isinstance(value, Select) else value.children
        kinds = [kind for kind in map(computed_type, parts) if kind is not None]
        return None if not kinds else kinds[0] if len(kinds) == 1 else promote(*kinds[:2])
    return None


def check_scalar_arithmetic(value: Scalar) -> None:
    """A scalar operand is computed by the scalar unit, which has no 16-bit floats.
    Errors: NotVector."""
    if isinstance(value, Binary):
        for node in walk(value):
            if isinstance(node, Load) and node.dtype.name in ("float16", "bfloat16"):
                raise NotVector(
                    f"{show(value)} would be {node.dtype} arithmetic of the scalar unit"
                )


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
