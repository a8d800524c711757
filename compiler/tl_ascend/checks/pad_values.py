"""What the padding of a tile holds behind operations that go element by element.

A value is a number where it is known, `OTHER` where it is a finite number that depends on the data of
its row, `POSITIVE` where such a number is greater than zero. `None`: nothing is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeAlias

from tl_ascend.ir.expr import Binary, Call, Const
from tl_ascend.source.span import Span

OTHER, POSITIVE = "other", "positive"
PadValue: TypeAlias = "float | str"


@dataclass(frozen=True, slots=True)
class Pad:
    """Padding of a tile along `axis` (-1: columns, -2: rows): all from `valid` on, of `size`. `signed`:
    the data may be negative. `given`: the author chose the value. `span`: the copy that filled it."""

    axis: int
    valid: int
    size: int
    value: PadValue
    where: str
    span: Span
    given: bool = False
    signed: bool = True

    def become(self, value: PadValue | None, signed: bool = True) -> Pad | None:
        """The padding with another value; None where that is not known."""
        return None if value is None else replace(self, value=value, signed=signed)


def number(value: object) -> float | None:
    """A constant, infinity included."""
    if isinstance(value, Const):
        value = value.value
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, Call) and value.name == "infinity":
        return math.inf
    if isinstance(value, Binary) and value.op in ("-", "*"):
        a, b = number(value.a), number(value.b)
        if a is not None and b is not None:
            return a - b if value.op == "-" else a * b
    return None


def of_one(op: str, pad: Pad) -> Pad | None:
    """The padding behind an operation on one tile."""
    value = pad.value
    if op == "tile.exp":
        if isinstance(value, str):
            return pad.become(POSITIVE, signed=False)
        return pad.become(math.exp(value) if value < 100 else math.inf, signed=False)
    if op == "tile.abs":
        return pad.become(abs(value) if not isinstance(value, str) else None, signed=False)
    if op == "tile.relu":
        return pad.become(max(value, 0.0) if not isinstance(value, str) else None, signed=False)
    if op == "tile.sqrt" and value == 0:
        return pad.become(0.0, signed=False)
    return pad if op in ("copy", "tile.cast") else None


def with_number(op: str, pad: Pad, other: float, first: bool) -> Pad | None:
    """The padding behind an operation of a tile and a number; `first`: the tile is the left side."""
    value = pad.value
    keeps = op in ("tile.mul", "tile.div") and other > 0 and first
    if isinstance(value, str):
        return pad.become(value, pad.signed) if keeps else None
    a, b = (value, other) if first else (other, value)
    results = {"tile.add": a + b, "tile.sub": a - b, "tile.max": max(a, b), "tile.min": min(a, b)}
    if op == "tile.mul" and not (math.isinf(a) or math.isinf(b)):
        results[op] = a * b
    if op == "tile.div" and b and not (math.isinf(a) or math.isinf(b)):
        results[op] = a / b
    return pad.become(results.get(op), pad.signed or not keeps)


def with_rows(op: str, pad: Pad) -> Pad | None:
    """The padding of columns behind an operation with a tile that holds one number in each row."""
    value = pad.value
    if op in ("tile.add", "tile.sub"):
        if not isinstance(value, str) and math.isinf(value):
            return pad
        return pad.become(OTHER)
    return pad.become(0.0) if op in ("tile.mul", "tile.div") and value == 0 else None


def with_itself(op: str, pad: Pad) -> Pad | None:
    """The padding of a product of a tile and itself."""
    value = pad.value
    if op != "tile.mul":
        return None
    if isinstance(value, str):
        return pad.become(POSITIVE, signed=False)
    return pad.become(value * value, signed=False)


def spoils(reduction: str, pad: Pad) -> bool:
    """True where padding takes part in a result. For a greatest or least value only what the author
    did not choose counts, and only where the data may lie on its other side."""
    value = pad.value
    if reduction == "reduce_sum":
        return isinstance(value, str) or value != 0
    if pad.given or isinstance(value, str) or math.isinf(value):
        return False
    return value > 0 or pad.signed if reduction == "reduce_max" else True


def shown(value: PadValue) -> str:
    """The value as a reader sees it."""
    if isinstance(value, str):
        return "values of their own"
    return f"{value:g}"
