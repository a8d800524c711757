"""The tensor side of a transfer as the templates take it: shape and stride as types, and the values of
those that only the device knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.ir.expr import Scalar

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto


def types(rows: int, columns: int, stride: Scalar) -> str:
    """Shape and stride as template arguments; only the last two dimensions are walked."""
    step = str(stride) if isinstance(stride, int) else "-1"
    return f"1, 1, 1, {rows}, {columns}, 1, 1, 1, {step}, 1"


def values(emission: Pto, rows: int, columns: int, stride: Scalar) -> tuple[str, str]:
    """The same as arguments."""
    step = str(stride) if isinstance(stride, int) else "-1"
    given = "" if isinstance(stride, int) else emission.values.index(stride)
    shape = f"pto::Shape<1, 1, 1, {rows}, {columns}>()"
    return shape, f"pto::Stride<1, 1, 1, {step}, 1>({given})"
