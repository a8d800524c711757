"""How C++ spells constants."""

from __future__ import annotations

import math
from typing import NamedTuple

from tl_ascend.target.dtypes import BOOL, FLOAT32, INT32, INT64, DType


class Literal(NamedTuple):
    """C++ text of a constant, its C++ type, and whether it begins with a minus sign."""

    text: str
    type: DType
    negative: bool


def literal(value: int | float, type: DType) -> Literal:
    """A constant in a type. Integers that 32 bits cannot hold get a type that can."""
    if type is INT32 and value.__class__ is int and -(2**31) < value < 2**31:
        return Literal(str(value), INT32, value < 0)
    if type == BOOL:
        return Literal("true" if value else "false", BOOL, False)
    if type.kind == "float":
        return _float(float(value), type)
    if isinstance(value, float):
        if math.isinf(value) or math.isnan(value) or value != int(value):
            text = _float(value, FLOAT32).text
            return Literal(f"{type.c_name}({text})", type, False)
        value = int(value)
    return _integer(int(value), type)


def _float(value: float, type: DType) -> Literal:
    text = _finite(value) if math.isfinite(value) else _not_finite(value)
    if type.name in ("float32", "float64"):
        return Literal(text, FLOAT32, text.startswith("-"))
    return Literal(f"{type.c_name}({text})", type, False)


def _finite(value: float) -> str:
    # The shortest decimal of the double; the compiler rounds it to the nearest float.
    return _not_finite(math.copysign(math.inf, value)) if abs(value) > 3.5e38 else f"{value!r}f"


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "CUDART_NAN_F"
    return "CUDART_INF_F" if value > 0 else "-CUDART_INF_F"


def _integer(value: int, type: DType) -> Literal:
    plain = INT32 if -(2**31) < value < 2**31 else INT64
    text = str(value)
    if value >= 2**63:
        return Literal(f"{value}ULL", type, False)
    if value in (-(2**31), -(2**63)):
        # C++ has no negative literals: the number without its sign would not fit.
        text = f"({value + 1} - 1)"
        return Literal(_cast_text(text, type, plain), type, False)
    exact = _cast_text(text, type, plain)
    return Literal(exact, type if exact != text else plain, exact.startswith("-"))


def _cast_text(text: str, type: DType, plain: DType) -> str:
    """A literal is an int or a long; every other type is named."""
    return text if type in (INT32, plain) else f"{type.c_name}({text})"
