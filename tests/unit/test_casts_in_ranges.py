"""A cast wraps what does not fit into its type, so that no condition on it may be decided before."""

from __future__ import annotations

import pytest

from tl_ascend.ir import fold
from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Binary, Cast, Const, Expr, Load, Scalar, Var
from tl_ascend.target.dtypes import BY_NAME, INT32

N = Var("n", 1, "shape", 1, None, INT32)
I = Var("i", 2, "loop", 0, 299, INT32)  # noqa: E741
WIDE = Var("w", 3, "let", None, None, BY_NAME["int64"])
U32 = BY_NAME["uint32"]
PRODUCT = Binary("*", Var("u", 4, "let", None, None, U32), Const(2654435769, U32))


@pytest.mark.parametrize(
    ("value", "kind", "bounds"),
    [
        (I, "int8", (-128, 127)),
        (I, "uint8", (0, 255)),
        (I, "int16", (0, 299)),
        (I, "uint32", (0, 299)),
        (N, "int32", (1, None)),
        (N, "int64", (1, None)),
        (N, "uint8", (0, 255)),
        (fold.binary("+", N, 200), "uint8", (0, 255)),
        (fold.binary("-", I, 5), "uint32", (0, 2**32 - 1)),
        (WIDE, "int32", (-(2**31), 2**31 - 1)),
        (PRODUCT, "int32", (-(2**31), 2**31 - 1)),
        (PRODUCT, "int64", (0, 2**32 - 1)),
        (PRODUCT, "float32", (None, None)),
    ],
)
def test_range_of_a_cast(value: Expr, kind: str, bounds: tuple[int | None, int | None]) -> None:
    assert interval(Cast(BY_NAME[kind], value)) == bounds


@pytest.mark.parametrize(("value", "kind"), [(I, "int8"), (PRODUCT, "int32")])
def test_a_sign_that_wrapping_decides_is_open(value: Expr, kind: str) -> None:
    found: Scalar = fold.compare("<", Cast(BY_NAME[kind], value), 0)
    assert isinstance(found, Expr) and not isinstance(found, Load)
