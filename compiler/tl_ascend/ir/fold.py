"""Constructors that fold: constants, units, and the quotients and remainders of tile arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import (
    Binary,
    Call,
    Cast,
    Compare,
    Expr,
    Load,
    Logic,
    Scalar,
    Select,
    dtype_of,
)

PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "min": min,
    "max": max,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# Numbers stay short enough to be printed (Python refuses over 4300 digits).
MAX_INT_BITS = 4096
# What short numbers give under these is no longer than twice as long.
_WHOLE = frozenset({"+", "-", "*", "//", "%", "min", "max"})
_SHORT = 2**64


def binary(op: str, a: Scalar, b: Scalar) -> Scalar:
    """`a op b`. Errors: ZeroDivisionError, OverflowError and TypeError as Python raises them."""
    if type(a) is int and type(b) is int and op in _WHOLE and -_SHORT < a < _SHORT > b > -_SHORT:
        return PYTHON[op](a, b)  # type: ignore[no-any-return]
    if op not in PYTHON:
        raise TypeError(f"{op} of scalars")
    if not isinstance(a, Expr) and not isinstance(b, Expr):
        _bounded(op, a, b)
        return PYTHON[op](a, b)  # type: ignore[no-any-return]
    if op in ("//", "%", "/") and not isinstance(b, Expr) and b == 0:
        raise ZeroDivisionError("division by zero")
    simple = _SIMPLIFY.get(op)
    folded = simple(a, b) if simple else None
    return Binary(op, a, b) if folded is None else folded


def _bounded(op: str, a: Any, b: Any) -> None:
    if not isinstance(a, int) or not isinstance(b, int):
        return
    bits = a.bit_length()
    if op == "**" and b > 0:
        bits = bits * b if abs(a) > 1 else 1
    elif op == "*":
        bits += b.bit_length()
    elif op == "<<":
        bits += max(b, 0)
    if bits > MAX_INT_BITS:
        raise OverflowError(f"the result of {op} has too many digits")


def _is(value: Scalar, number: int) -> bool:
    return not isinstance(value, Expr) and not isinstance(value, bool) and value == number


def _exact(value: Scalar) -> bool:
    """True for whole numbers: what holds for them need not hold where results are rounded."""
    return dtype_of(value).kind in ("int", "uint", "bool")


def _add(a: Scalar, b: Scalar) -> Scalar | None:
    if _is(a, 0):
        return b
    if _is(b, 0):
        return a
    if isinstance(a, Binary) and isinstance(b, int) and isinstance(a.b, int) and _exact(a):
        if a.op == "+":
            return binary("+", a.a, a.b + b)
        if a.op == "-":
            return binary("+", a.a, b - a.b)
    return None


def _sub(a: Scalar, b: Scalar) -> Scalar | None:
    if _is(b, 0):
        return a
    if not _exact(a):  # (x + y) - x is what y lost: sums that correct themselves live by it
        return None
    if a is b:
        return 0
    if isinstance(a, Binary) and a.op == "+":  # (x + y) - x: the extent of a slice
        if a.a is b:
            return a.b
        if a.b is b:
            return a.a
    return None


def _mul(a: Scalar, b: Scalar) -> Scalar | None:
    if _is(a, 0) or _is(b, 0):
        return 0
    if _is(a, 1):
        return b
    if _is(b, 1):
        return a
    if isinstance(a, Binary) and a.op == "*" and isinstance(a.b, int) and isinstance(b, int):
        return binary("*", a.a, a.b * b) if _exact(a) else None
    return None


def _floordiv(a: Scalar, b: Scalar) -> Scalar | None:
    if not _exact(a):
        return None
    if _is(b, 1):
        return a
    if _is(a, 0):
        return 0
    if isinstance(b, int) and b > 0:
        if isinstance(a, Binary) and a.op == "*" and isinstance(a.b, int) and a.b % b == 0:
            return binary("*", a.a, a.b // b)
        low, high = interval(a)
        if low is not None and high is not None and low // b == high // b:
            return low // b
    return None


def _mod(a: Scalar, b: Scalar) -> Scalar | None:
    if not _exact(a):
        return None
    if _is(b, 1) or _is(a, 0):
        return 0
    if isinstance(b, int) and b > 0:
        if isinstance(a, Binary) and a.op == "*" and isinstance(a.b, int) and a.b % b == 0:
            return 0
        low, high = interval(a)
        if low is not None and high is not None and low >= 0 and high < b:
            return a
    return None


def _min(a: Scalar, b: Scalar) -> Scalar | None:
    if a is b:
        return a
    (low_a, high_a), (low_b, high_b) = interval(a), interval(b)
    if high_a is not None and low_b is not None and high_a <= low_b:
        return a
    if high_b is not None and low_a is not None and high_b <= low_a:
        return b
    return None


def _max(a: Scalar, b: Scalar) -> Scalar | None:
    if a is b:
        return a
    (low_a, high_a), (low_b, high_b) = interval(a), interval(b)
    if low_a is not None and high_b is not None and low_a >= high_b:
        return a
    if low_b is not None and high_a is not None and low_b >= high_a:
        return b
    return None


_SIMPLIFY: dict[str, Callable[[Scalar, Scalar], Scalar | None]] = {
    "+": _add,
    "-": _sub,
    "*": _mul,
    "//": _floordiv,
    "%": _mod,
    "min": _min,
    "max": _max,
}


def compare(op: str, a: Scalar, b: Scalar) -> Scalar:
    """`a op b`, decided where the intervals of both sides decide it."""
    if not isinstance(a, Expr) and not isinstance(b, Expr):
        return COMPARE[op](a, b)
    if a is b:
        return op in ("==", "<=", ">=")
    decided = _decide(op, interval(a), interval(b))
    return Compare(op, a, b) if decided is None else decided


_Interval = tuple["int | None", "int | None"]


def _decide(op: str, x: _Interval, y: _Interval) -> bool | None:
    if op in (">", ">="):
        return _decide({">": "<", ">=": "<="}[op], y, x)
    below = x[1] is not None and y[0] is not None and x[1] < y[0]
    above = x[0] is not None and y[1] is not None and x[0] > y[1]
    if op in ("==", "!="):
        return (op == "!=") if below or above else None
    at_most = x[1] is not None and y[0] is not None and x[1] <= y[0]
    at_least = x[0] is not None and y[1] is not None and x[0] >= y[1]
    if op == "<":
        return True if below else False if at_least else None
    return True if at_most else False if above else None


def logic(op: str, operands: tuple[Scalar, ...]) -> Scalar:
    """`and`, `or` over any number of operands, `not` over one; constants fold."""
    if op == "not":
        (value,) = operands
        return Logic("not", operands) if isinstance(value, Expr) else not value
    rest: list[Scalar] = []
    for value in operands:
        if isinstance(value, Expr):
            rest.append(value)
        elif bool(value) == (op == "or"):
            return op == "or"
    if not rest:
        return op == "and"
    return rest[0] if len(rest) == 1 else Logic(op, tuple(rest))


def select(condition: Scalar, then: Scalar, other: Scalar) -> Scalar:
    """`then if condition else other`."""
    if not isinstance(condition, Expr):
        return then if condition else other
    return then if then is other else Select(condition, then, other)


def ceildiv(a: Scalar, b: Scalar) -> Scalar:
    """The least number of tiles of size `b` that cover `a`."""
    if isinstance(a, float) or isinstance(b, float):
        return math.ceil(a / b)  # type: ignore[operator]
    return binary("//", binary("-", binary("+", a, b), 1), b)


def substitute(value: Any, values: Mapping[Expr, Scalar]) -> Any:
    """Replace variables (or any nodes) and fold again. Non-expressions come back as they are."""
    if not values:
        return value
    memo: dict[Expr, Any] = dict(values)

    def go(node: Any) -> Any:
        if not isinstance(node, Expr):
            return tuple(map(go, node)) if isinstance(node, tuple) else node
        if node not in memo:
            memo[node] = _rebuild(node, go)
        return memo[node]

    return go(value)


def _rebuild(node: Expr, go: Callable[[Any], Any]) -> Any:
    if isinstance(node, Binary):
        return binary(node.op, go(node.a), go(node.b))
    if isinstance(node, Compare):
        return compare(node.op, go(node.a), go(node.b))
    if isinstance(node, Logic):
        return logic(node.op, go(node.operands))
    if isinstance(node, Select):
        return select(go(node.condition), go(node.then), go(node.other))
    if isinstance(node, Cast):
        return Cast(node.type, go(node.value))
    if isinstance(node, Load):
        return Load(node.buffer, go(node.indices))
    if isinstance(node, Call):
        return Call(node.name, go(node.args), node.type)
    return node
