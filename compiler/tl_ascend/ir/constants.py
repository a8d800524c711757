"""The values of constant expressions."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from tl_ascend.ir.expr import Binary, Call, Cast, Const, Expr
from tl_ascend.ir.fold import binary
from tl_ascend.target.dtypes import BOOL, FLOAT32, DType

_LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}
_SMALLEST = {"float16": 2.0**-14, "float32": 2.0**-126}  # with all digits


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


def as_product(divisor: Any, type: DType) -> bool:
    """True where a product with the reciprocal does for a division by a scalar. Of float16 the
    reciprocal must be a number of the type itself; of float32 it may be rounded, but not overflow nor
    lose digits, as far as is known: what only the device knows is taken for such, as upstream takes
    it. A divisor beyond the type has nothing but a reciprocal there."""
    number = number_of(divisor)
    if number is None:
        return type == FLOAT32
    if not number or math.isnan(number) or abs(number) > _LARGEST.get(type.name, math.inf):
        return True
    reciprocal = abs(1 / number)
    normal = _SMALLEST.get(type.name, 0.0) <= reciprocal <= _LARGEST.get(type.name, math.inf)
    return normal and (type == FLOAT32 or math.frexp(reciprocal)[0] == 0.5)
