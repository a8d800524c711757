"""Constants: their values, and how C++ spells them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

from tl_ascend.ir.expr import Binary, Call, Cast, Const, Expr
from tl_ascend.ir.fold import binary
from tl_ascend.target.dtypes import BOOL, FLOAT32, INT32, INT64, DType

_LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}
_CHANGES = {"int32": INT32, "int64": INT64}


def number_of(value: Any) -> int | float | None:
    """The value of an expression without variables, infinities included; None for all others."""
    if isinstance(value, Expr):
        return _number(value)
    return value if isinstance(value, (int, float)) else None


@lru_cache(maxsize=4096)
def _number(value: Expr) -> int | float | None:
    if isinstance(value, Const):
        found = value.value
        return found if isinstance(found, (int, float)) else None
    if isinstance(value, Call):
        return _limit(value.name, value.type) if not value.args else None
    if isinstance(value, Cast):
        inner = number_of(value.value)
        return None if inner is None else _cast(inner, value.type)
    if isinstance(value, Binary):
        a, b = number_of(value.a), number_of(value.b)
        if a is not None and b is not None:
            return _folded(value.op, a, b)
    return None


def _folded(op: str, a: int | float, b: int | float) -> int | float | None:
    try:
        found = binary(op, a, b)
    except (ArithmeticError, TypeError, ValueError):
        return None
    return found if isinstance(found, (int, float)) else None


def _limit(name: str, type: DType) -> int | float | None:
    if name == "infinity":
        return math.inf
    if name not in ("min_value", "max_value"):
        return None
    if type.kind == "float":
        largest = _LARGEST.get(type.name)
        return None if largest is None else largest if name == "max_value" else -largest
    limits = type.limits
    return None if limits is None else limits[name == "max_value"]


def _cast(value: int | float, type: DType) -> int | float | None:
    if type.kind == "float":
        return float(value)
    if type == BOOL:
        return bool(value)
    if isinstance(value, float) and (math.isinf(value) or math.isnan(value)):
        return None
    span = 1 << type.bits
    whole = int(value) % span
    return whole - span if type.kind == "int" and whole >= span // 2 else whole


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
