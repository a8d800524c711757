"""Python's arithmetic on sizes that are symbols: quotients that are rounded, products, powers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tl_ascend.ir import fold
from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Binary, Expr, dtype_of


def symbolic(name: str, args: Sequence[Any]) -> Any:
    """What a function of Python, math or numpy gives for symbols; None where that is not known."""
    apply = _FUNCTIONS.get(name)
    values = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    if apply is None or not values or not all(_is_number(v) for v in values):
        return None
    return apply(*args) if len(args) == _TAKES.get(name, 1) else None


def negative(value: Expr) -> Any:
    """`-value`; of a quotient of a negative number, as `-(-M // 64)` has it, the one rounded up."""
    if isinstance(value, Binary) and value.op == "//" and _is_positive(value.b):
        inner = value.a
        if isinstance(inner, Binary) and inner.op == "*" and inner.b == -1:
            return _up(inner.a, value.b)
    return fold.binary("*", value, -1)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, Expr))


def _is_whole(value: Any) -> bool:
    """Of whole numbers under operations that keep them whole; on the device, `/` would, too."""
    if isinstance(value, Binary):
        return value.op != "/" and _is_whole(value.a) and _is_whole(value.b)
    kinds = ("int", "uint", "bool")
    return isinstance(value, int) or (isinstance(value, Expr) and dtype_of(value).kind in kinds)


def _is_positive(value: Any) -> bool:
    return isinstance(value, int) and value > 0


def _quotient(value: Any) -> tuple[Any, int] | None:
    """Numerator and denominator of `a / 64`, where these are whole."""
    divisor = 1
    while isinstance(value, Binary) and value.op == "/" and _is_positive(value.b):
        value, divisor = value.a, divisor * value.b
    return (value, divisor) if _is_whole(value) else None


def _up(value: Any, divisor: Any) -> Any:
    more = fold.binary("-", fold.binary("+", value, divisor), 1)
    return fold.binary("//", more, divisor)


def _ceil(value: Any) -> Any:
    parts = _quotient(value)
    if parts is None:
        return None
    return _up(*parts) if parts[1] > 1 else parts[0]


def _floor(value: Any) -> Any:
    parts = _quotient(value)
    return None if parts is None else fold.binary("//", *parts)


def _trunc(value: Any) -> Any:
    """Towards zero: as `_floor` where there is nothing below zero."""
    parts = _quotient(value)
    low = interval(parts[0])[0] if parts is not None else None
    if parts is None or (parts[1] > 1 and (low is None or low < 0)):
        return None
    return fold.binary("//", *parts)


def _same(value: Any) -> Any:
    return value if _is_whole(value) else None


def _absolute(value: Any) -> Any:
    return fold.binary("max", value, fold.binary("*", value, -1))


def _product(values: Any) -> Any:
    if not isinstance(values, (list, tuple)):
        return None
    total: Any = 1
    for value in values:
        total = fold.binary("*", total, value)
    return total


def _divmod(value: Any, divisor: Any) -> Any:
    if not (_is_whole(value) and _is_whole(divisor)):
        return None
    return fold.binary("//", value, divisor), fold.binary("%", value, divisor)


def _power(value: Any, exponent: Any) -> Any:
    return fold.binary("**", value, exponent) if isinstance(exponent, int) else None


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ceil": _ceil,
    "floor": _floor,
    "trunc": _trunc,
    "int": _trunc,
    "round": _same,
    "abs": _absolute,
    "prod": _product,
    "divmod": _divmod,
    "pow": _power,
    "maximum": lambda a, b: fold.binary("max", a, b),
    "minimum": lambda a, b: fold.binary("min", a, b),
}
_TAKES = {"divmod": 2, "pow": 2, "maximum": 2, "minimum": 2}
