"""Operations on the bits of integers."""

from __future__ import annotations

import numpy as np

from tl_ascend.simulate.call import Call
from tl_ascend.simulate.elements import Array
from tl_ascend.simulate.registry import semantic


@semantic("tile.bitwise_and")
def bitwise_and(call: Call) -> None:
    call.apply("dst", ("src0", "src1"), np.bitwise_and)


@semantic("tile.bitwise_or")
def bitwise_or(call: Call) -> None:
    call.apply("dst", ("src0", "src1"), np.bitwise_or)


@semantic("tile.bitwise_xor")
def bitwise_xor(call: Call) -> None:
    call.apply("dst", ("src0", "src1"), np.bitwise_xor)


@semantic("tile.bitwise_not")
def bitwise_not(call: Call) -> None:
    call.apply("dst", ("src0",), np.invert)


@semantic("tile.bitwise_lshift")
def bitwise_lshift(call: Call) -> None:
    by = call.number("scalarValue")
    call.apply("dst", ("src0",), lambda a: _shifted(a, by))


@semantic("tile.bitwise_rshift")
def bitwise_rshift(call: Call) -> None:
    """The sign of signed types is repeated."""
    by = call.number("scalarValue")
    call.apply("dst", ("src0",), lambda a: np.right_shift(a, min(by, 8 * a.itemsize - 1)))


def _shifted(values: Array, by: int) -> Array:
    if by >= 8 * values.itemsize:
        return np.zeros_like(values)
    return np.left_shift(values, by)
