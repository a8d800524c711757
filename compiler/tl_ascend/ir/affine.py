"""What is known of an integer expression without a solver: its affine form and its interval.

An affine form is a constant plus a sum of coefficient times atom; an atom is any node that is not
itself a sum or a multiple. Equal affine forms are equal values; the interval of a form adds up those
of its atoms, so that `x*64 + 64 - x*64` is exactly 64.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from tl_ascend.ir.expr import (
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Load,
    Logic,
    Select,
    Var,
    dtype_of,
    unsigned,
)

Interval: TypeAlias = "tuple[int | None, int | None]"
UNKNOWN: Interval = (None, None)
MAX_BOUND = 2**64


class Affine:
    """`constant + sum(coefficient * atom)`; no coefficient is zero."""

    __slots__ = ("constant", "terms")

    def __init__(self, constant: int, terms: Mapping[Expr, int]) -> None:
        self.constant = constant
        self.terms = {atom: k for atom, k in terms.items() if k}

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Affine)
            and self.constant == other.constant
            and self.terms == other.terms
        )

    def __hash__(self) -> int:
        return hash((self.constant, frozenset(self.terms.items())))

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        terms = dict(self.terms)
        for atom, k in other.terms.items():
            terms[atom] = terms.get(atom, 0) + factor * k
        return Affine(self.constant + factor * other.constant, terms)

    def times(self, factor: int) -> Affine:
        return Affine(self.constant * factor, {a: k * factor for a, k in self.terms.items()})


def affine(value: Any) -> Affine | None:
    """The affine form of an integer value; None for floats and non-numbers."""
    if isinstance(value, bool) or isinstance(value, int):
        return Affine(int(value), {})
    if not isinstance(value, Expr):
        return None
    return _affine(value)


@lru_cache(maxsize=16384)
def _affine(value: Expr) -> Affine:
    if isinstance(value, Const) and isinstance(value.value, int):
        return Affine(value.value, {})
    if isinstance(value, Binary) and value.op in ("+", "-", "*") and not unsigned(value):
        a, b = affine(value.a), affine(value.b)
        if a is not None and b is not None:
            if value.op != "*":
                return a.plus(b, 1 if value.op == "+" else -1)
            if not b.terms:
                return a.times(b.constant)
            if not a.terms:
                return b.times(a.constant)
    return Affine(0, {value: 1})


def same(a: Any, b: Any) -> bool | None:
    """True or False where the affine forms decide equality, None where they do not."""
    if a is b:
        return True
    if type(a) is int and type(b) is int:
        return a == b
    x, y = affine(a), affine(b)
    if x is None or y is None:
        return True if a == b else None
    difference = x.plus(y, -1)
    if not difference.terms:
        return difference.constant == 0
    low, high = bounds_of(difference)
    if (low is not None and low > 0) or (high is not None and high < 0):
        return False
    return None


def interval(value: Any) -> Interval:
    """Inclusive bounds of an integer value; None on a side that is not known."""
    if isinstance(value, (bool, int)):
        return int(value), int(value)
    if isinstance(value, Expr):
        return _interval(value)
    return UNKNOWN


@lru_cache(maxsize=16384)
def _interval(value: Expr) -> Interval:
    """Bounds beyond 64 bits are of no use and would grow without an end."""
    low, high = _bounds(value)
    return (
        None if low is None or abs(low) > MAX_BOUND else low,
        None if high is None or abs(high) > MAX_BOUND else high,
    )


def _bounds(value: Expr) -> Interval:
    if isinstance(value, Var):
        return value.low, value.high
    if isinstance(value, (Compare, Logic)):
        return 0, 1
    if isinstance(value, Select):
        return _hull(interval(value.then), interval(value.other))
    if isinstance(value, Cast):
        return _cast(value)
    if isinstance(value, Binary) and unsigned(value):
        return 0, 2**value.dtype.bits - 1
    if isinstance(value, Binary):
        if value.op in ("+", "-", "*"):
            form = _affine(value)
            if form.terms != {value: 1}:
                return bounds_of(form)
        return _binary(value)
    if isinstance(value, (Const, Load, Call)):
        return _leaf(value)
    return UNKNOWN


def _leaf(value: Expr) -> Interval:
    if isinstance(value, Const) and isinstance(value.value, int):
        return value.value, value.value
    if isinstance(value, Call) and value.name == "use_swizzle":
        return 0, None
    return UNKNOWN


def _cast(value: Cast) -> Interval:
    """What does not fit into the type wraps around."""
    limits, given = value.type.limits, dtype_of(value.value).limits
    if limits is None:
        return UNKNOWN
    known, (low, high) = interval(value.value), limits
    if given is not None and low <= given[0] and given[1] <= high:
        return known
    inside = None not in known and low <= known[0] and known[1] <= high  # type: ignore[operator]
    return known if inside else limits


def _hull(x: Interval, y: Interval) -> Interval:
    low = None if x[0] is None or y[0] is None else min(x[0], y[0])
    high = None if x[1] is None or y[1] is None else max(x[1], y[1])
    return low, high


def bounds_of(form: Affine) -> Interval:
    """The interval of an affine form."""
    low: int | None = form.constant
    high: int | None = form.constant
    for atom, k in form.terms.items():
        bounds = _interval(atom) if not _sum_like(atom) else UNKNOWN
        small, large = bounds if k > 0 else (bounds[1], bounds[0])
        low = None if low is None or small is None else low + k * small
        high = None if high is None or large is None else high + k * large
    return low, high


def _sum_like(atom: Expr) -> bool:
    return isinstance(atom, Binary) and atom.op in ("+", "-")


def _binary(value: Binary) -> Interval:
    (a, b), (c, d) = interval(value.a), interval(value.b)
    if value.op == "*" and None not in (a, b, c, d):
        corners = [x * y for x in (a, b) for y in (c, d)]  # type: ignore[operator]
        return min(corners), max(corners)
    if value.op == "*" and (a or 0) >= 0 and (c or 0) >= 0 and None not in (a, c):
        return a * c, None  # type: ignore[operator]
    if value.op == "//" and c is not None and c > 0:
        if a is not None and b is not None and d is not None:
            corners = [x // y for x in (a, b) for y in (c, d)]
            return min(corners), max(corners)
        low = None if a is None or a < 0 else a // d if d is not None else 0
        return low, (None if b is None or b < 0 else b // c)
    if value.op == "%" and c is not None and c > 0:
        top = None if d is None else d - 1
        if a is not None and a >= 0 and b is not None:
            top = b if top is None else min(top, b)
        return 0, top
    if value.op in ("min", "max"):
        return _extremum(value.op, (a, b), (c, d))
    if value.op == "&" and a is not None and a >= 0 and c is not None and c >= 0:
        known = [x for x in (b, d) if x is not None]
        return 0, min(known) if known else None
    return UNKNOWN


def _extremum(op: str, x: Interval, y: Interval) -> Interval:
    pick = min if op == "min" else max
    lows, highs = [x[0], y[0]], [x[1], y[1]]
    known_low = [v for v in lows if v is not None]
    known_high = [v for v in highs if v is not None]
    low = pick(known_low) if len(known_low) == 2 or (op == "max" and known_low) else None
    high = pick(known_high) if len(known_high) == 2 or (op == "min" and known_high) else None
    return low, high
