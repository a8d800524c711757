"""Functions of tiles beyond arithmetic: powers, waves, activations, limits, sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tl_ascend.simulate.call import Call, as_rows
from tl_ascend.simulate.elements import Array, Element
from tl_ascend.simulate.memory import either
from tl_ascend.simulate.registry import semantic


def _rounded(function: Callable[..., Any], *values: Array) -> Any:
    """A function of several steps, rounded once."""
    if values[0].dtype.kind != "f":
        return function(*values)
    return function(*(v.astype(np.float64) for v in values)).astype(values[0].dtype)


@semantic("tile.leaky_relu")
def leaky_relu(call: Call) -> None:
    call.apply("dst", ("src0", "scalar_value"), lambda a, s: np.where(a > 0, a, a * s))


@semantic("tile.axpy")
def axpy(call: Call) -> None:
    """The scalar has the type of the source, which may be narrower than the target."""
    target = call.box("dst")
    old, tile = call.read("dst", target.count), call.read("src0", target.count)
    number = call.scalar("scalar_value", call.box("src0").kind)
    values = old.values.astype(np.float64) + np.float64(number.values) * tile.values
    call.write("dst", values, either(old.poison, tile.poison, number.poison))


@semantic("tile.mul_add_dst")
def mul_add_dst(call: Call) -> None:
    target = call.box("dst")
    tiles = [call.read(name, target.count) for name in ("src0", "src1", "dst")]
    a, b, old = (tile.values for tile in tiles)
    values = _rounded(lambda x, y, z: x * y + z, a, b, old)
    call.write("dst", values, either(*(tile.poison for tile in tiles)))


@semantic("tile.pow")
def power(call: Call) -> None:
    call.apply("dst", ("src0", "src1"), lambda a, b: _rounded(_power, a, b))


def _power(a: Any, b: Any) -> Any:
    if a.dtype.kind == "f":
        return np.power(a, b)
    return np.power(a.astype(np.float64), b).astype(np.int64).astype(a.dtype)


def _one_step(name: str, function: Callable[[Any], Any]) -> None:
    @semantic(f"tile.{name}")
    def apply(call: Call) -> None:
        call.apply("dst", ("src",), lambda a: _rounded(function, a))


_one_step("sin", np.sin)
_one_step("cos", np.cos)
_one_step("sigmoid", lambda a: 1 / (1 + np.exp(-a)))
_one_step("silu", lambda a: a / (1 + np.exp(-a)))


@semantic("tile.round")
def round_(call: Call) -> None:
    """Halves go to the even neighbour (CANN, Round)."""
    call.apply("out", ("buffer",), np.rint, call.number("count"))


@semantic("tile.clamp_max")
def clamp_max(call: Call) -> None:
    call.apply("out", ("buffer", "scalar_value"), np.minimum, call.number("count"))


@semantic("tile.clamp_min")
def clamp_min(call: Call) -> None:
    call.apply("out", ("buffer", "scalar_value"), np.maximum, call.number("count"))


@semantic("tile.clamp")
def clamp(call: Call) -> None:
    names = ("buffer", "min_scalar", "max_scalar")
    count = call.number("count")
    call.apply("out", names, lambda a, low, high: np.minimum(np.maximum(a, low), high), count)


def _sequence(kind: Element, first: Any, step: Any, count: int) -> Array:
    wide = np.float64 if kind.work.kind == "f" else np.int64
    steps = np.arange(count, dtype=wide)
    found: Array = (wide(first) + steps * wide(step)).astype(kind.work)
    return found


@semantic("tile.createvecindex")
def createvecindex(call: Call) -> None:
    box = call.box("dst")
    first = call.scalar("firstValue", box.kind)
    call.write("dst", _sequence(box.kind, first.values, 1, box.count), first.poison)


@semantic("tile.arith_progression")
def arith_progression(call: Call) -> None:
    kind, count = call.box("buffer").kind, call.number("count")
    first, step = (call.scalar(name, kind) for name in ("first_value", "diff_value"))
    values = _sequence(kind, first.values, step.values, count)
    call.write("buffer", values, either(first.poison, step.poison))


@semantic("tile.transpose")
def transpose(call: Call) -> None:
    box = call.box("src")
    rows, columns = as_rows(box)
    tile = box.read().moved(lambda part: part.reshape(rows, columns).T)
    call.write("dst", tile.values, tile.poison)
