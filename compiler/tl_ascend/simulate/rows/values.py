"""Scalar functions of `T`. The front end folds what it can; what is left comes here as a call.

Arguments are numbers, or arrays inside of a vectorised loop; the first parameter is the type of the
result. The caller rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tl_ascend.ops.values import DTYPES
from tl_ascend.simulate.elements import element, wrapped
from tl_ascend.simulate.errors import EvaluationError
from tl_ascend.simulate.expressions import cast_to
from tl_ascend.simulate.registry import value
from tl_ascend.target.dtypes import BY_NAME, INT32, DType


def _function(name: str, apply: Callable[..., Any]) -> None:
    @value(name)
    def run(kind: DType, *given: Any) -> Any:
        if any(isinstance(v, np.ndarray) for v in given):
            return apply(*(np.asarray(v, np.float64) for v in given))
        found = apply(*(np.float64(v) for v in given))
        return bool(found) if isinstance(found, np.bool_) else float(found)


_erf = np.vectorize(math.erf, otypes=[np.float64])


def _half_away(x: Any) -> Any:
    """Halves away from zero, as C rounds."""
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: np.power(10.0, x),
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "erf": _erf,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "floor": np.floor,
    "ceil": np.ceil,
    "round": _half_away,
    "trunc": np.trunc,
    "nearbyint": np.rint,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "atan2": np.arctan2,
    "copysign": np.copysign,
    "fmod": np.fmod,
    "hypot": np.hypot,
    "ldexp": lambda x, y: x * np.exp2(y),
    "nextafter": lambda x, y: np.nextafter(np.float32(x), np.float32(y)),
}
for _name, _apply in _FUNCTIONS.items():
    _function(_name, _apply)


@value("abs")
def absolute(kind: DType, x: Any) -> Any:
    return abs(x)


@value("pow")
def power(kind: DType, x: Any, y: Any) -> Any:
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        return np.power(np.asarray(x, np.float64), y)
    return (
        x**y
        if isinstance(x, int) and isinstance(y, int) and y >= 0
        else float(np.power(float(x), y))
    )


@value("popcount")
def popcount(kind: DType, source: str, x: Any) -> Any:
    """Set bits of the number in the bits of its type, `source`."""
    return _bitwise(source, x, lambda bits, width: bits.bit_count())


@value("clz")
def clz(kind: DType, source: str, x: Any) -> Any:
    return _bitwise(source, x, lambda bits, width: width - bits.bit_length())


def _bitwise(source: str, x: Any, number: Callable[[int, int], int]) -> Any:
    given = BY_NAME.get(source, INT32)  # "int" is that
    if given.kind == "float":
        raise EvaluationError(f"bits of {given}, which is no integer")
    everything = (1 << given.bits) - 1

    def count(bits: int) -> int:
        return number(bits, given.bits)

    if isinstance(x, np.ndarray):
        flat = [count(int(v) & everything) for v in x.ravel()]
        return np.asarray(flat, np.int64).reshape(x.shape)
    return count(int(x) & everything)


# --- what the front end also folds ------------------------------------------------------------------


@value("ceildiv")
def ceildiv(kind: DType, a: Any, b: Any) -> Any:
    return -(-a // _divisor(b))


@value("floordiv")
def floordiv(kind: DType, a: Any, b: Any) -> Any:
    return a // _divisor(b)


@value("floormod")
def floormod(kind: DType, a: Any, b: Any) -> Any:
    return a % _divisor(b)


@value("truncdiv")
def truncdiv(kind: DType, a: Any, b: Any) -> Any:
    quotient = abs(a) // abs(_divisor(b))
    return np.where((a < 0) == (b < 0), quotient, -quotient)[()]


@value("truncmod")
def truncmod(kind: DType, a: Any, b: Any) -> Any:
    return a - b * truncdiv(kind, a, b)


def _divisor(value: Any) -> Any:
    if not isinstance(value, np.ndarray) and value == 0:
        raise EvaluationError("division by zero")
    return value


@value("if_then_else", "Select")
def choose(kind: DType, condition: Any, then: Any, other: Any) -> Any:
    return np.where(condition, then, other)[()]


@value("min")
def least(kind: DType, a: Any, b: Any) -> Any:
    return np.minimum(a, b)


@value("max")
def greatest(kind: DType, a: Any, b: Any) -> Any:
    return np.maximum(a, b)


@value("clamp")
def clamp(kind: DType, x: Any, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(x, low), high)


@value("And")
def both(kind: DType, a: Any, b: Any) -> Any:
    return np.logical_and(a, b)


@value("Or")
def either(kind: DType, a: Any, b: Any) -> Any:
    return np.logical_or(a, b)


for _name, _bits in {
    "shift_left": np.left_shift,
    "shift_right": np.right_shift,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_not": np.invert,
}.items():
    value(_name)(lambda kind, *given, apply=_bits: apply(*given))


@value("likely")
def likely(kind: DType, condition: Any) -> Any:
    return condition


@value("Not")
def negation(kind: DType, a: Any) -> Any:
    return np.logical_not(a)


# --- types ------------------------------------------------------------------------------------------

_BFLOAT16_MAX = 3.3895313892515355e38


@value("infinity")
def infinity(kind: DType, *given: Any) -> Any:
    return float("inf")


@value("max_value")
def max_value(kind: DType, *given: Any) -> Any:
    return _limit(kind, 1)


@value("min_value")
def min_value(kind: DType, *given: Any) -> Any:
    return _limit(kind, -1)


def _limit(kind: DType, sign: int) -> Any:
    if kind.name == "bfloat16":
        return sign * _BFLOAT16_MAX
    if kind.kind == "float":
        return sign * float(np.finfo(element(kind).work).max)
    if kind.kind == "bool":
        return sign > 0
    top = (1 << kind.bits) if kind.kind == "uint" else (1 << (kind.bits - 1))
    return top - 1 if sign > 0 else (0 if kind.kind == "uint" else -top)


def _conversion(name: str, kind: DType) -> None:
    @value(name)
    def run(result: DType, x: Any = 0) -> Any:
        return cast_to(x, kind)


for _name in DTYPES:
    _conversion(_name, BY_NAME[_name])


@value("cast", "Cast")
def cast(kind: DType, *given: Any) -> Any:
    """The value, whichever of the two orders of arguments."""
    (number,) = (x for x in given if not isinstance(x, str))
    return cast_to(number, kind)


@value("reinterpret")
def reinterpret(kind: DType, source: str, number: Any) -> Any:
    """The bits of a number of the type `source`; "int" and "float" are as wide as the result."""
    target = element(kind)
    given = BY_NAME.get(source) or BY_NAME[f"{source}{kind.bits}"]
    if given.bits != kind.bits:
        raise EvaluationError(f"T.reinterpret of {given} as {kind}, which is not as wide")
    whole = isinstance(number, int)
    cells = element(given).encode(wrapped(int(number), given) if whole else np.asarray(number))
    found = target.decode(np.asarray(cells, element(given).store).view(target.store))
    return found if isinstance(number, np.ndarray) else found.item()
