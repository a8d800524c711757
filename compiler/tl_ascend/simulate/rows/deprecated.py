"""Direct forms of single device calls: reductions of repeats and blocks, bilinear interpolation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tl_ascend.simulate.call import Call, any_along
from tl_ascend.simulate.elements import Array
from tl_ascend.simulate.memory import Tile
from tl_ascend.simulate.registry import semantic
from tl_ascend.simulate.rows.experimental import repeats
from tl_ascend.simulate.rows.gather import BLOCK, picked, places, put_block
from tl_ascend.simulate.rows.reduce import wide

_JOIN: dict[str, Callable[..., Any]] = {"sum": np.sum, "max": np.max, "min": np.min}
_NEUTRAL = {"sum": 0.0, "max": -np.inf, "min": np.inf}
_ARG: dict[str, Callable[..., Any]] = {"max": np.argmax, "min": np.argmin}


@semantic("tile.wholereducemax", "tile.wholereducemin", "tile.wholereducesum")
def whole_reduce(call: Call) -> None:
    """One result a repeat: a value, an index within the repeat, or both."""
    kind, name = call.box("src").kind, call.row.name[-3:]
    strides = call.number("srcblkstride"), call.number("srcrepstride")
    at = repeats(kind.size, call.number("repeattimes"), *strides)[:, : call.number("mask")]
    tile = picked(call.box("src"), at)
    values = _JOIN[name](wide(tile.values), axis=1).astype(kind.work)
    order = "ORDER_ONLY_VALUE" if name == "sum" else call.word("ReduceOrder")
    index = _bits(_ARG[name](tile.values, axis=1), call) if name != "sum" else values
    parts = {
        "ORDER_ONLY_VALUE": [values],
        "ORDER_ONLY_INDEX": [index],
        "ORDER_VALUE_INDEX": [values, index],
        "ORDER_INDEX_VALUE": [index, values],
    }[order]
    _spread(call, parts, any_along(tile.poison, 1), order)


def _bits(index: Array, call: Call) -> Array:
    """An index is stored as an integer as wide as the elements."""
    kind = call.box("dst").kind
    return kind.decode(index.astype(np.dtype(f"u{kind.size}")).view(kind.store))


def _spread(call: Call, parts: list[Array], poison: Any, order: str) -> None:
    """Results lie a stride apart, which counts results. A lone index has 32 bits."""
    target = call.box("dst")
    width, stride = len(parts), call.number("dstrepstride")
    if order == "ORDER_ONLY_INDEX" and target.kind.size == 2:
        parts, width = [*parts, np.zeros_like(parts[0])], 2
    for number in range(len(parts[0])):
        values = np.array([part[number] for part in parts], parts[0].dtype)
        marks = None if poison is None else np.full(width, bool(poison[number]))
        put_block(call, target, number * stride * width, Tile(values, marks))


@semantic("tile.block_reduce_max", "tile.block_reduce_min", "tile.block_reduce_sum")
def block_reduce(call: Call) -> None:
    """Eight results a repeat, one for each block; lanes beyond the mask do not count."""
    kind, name = call.box("src").kind, call.row.name[-3:]
    unit, times = BLOCK // kind.size, call.number("repeat")
    at = repeats(kind.size, times, call.number("srcBlkStride"), call.number("srcRepStride"))
    tile = picked(call.box("src"), at)
    counted = np.arange(at.shape[1]) < call.number("mask")
    values = np.where(counted, wide(tile.values), _NEUTRAL[name]).reshape(times, 8, unit)
    found = _JOIN[name](values, axis=2).astype(kind.work)
    blocks = -(-call.number("mask") // unit)
    marks = None if tile.poison is None else (tile.poison & counted).reshape(times, 8, unit)
    poison = any_along(marks, 2)
    for number in range(times):
        one = Tile(found[number, :blocks], None if poison is None else poison[number, :blocks])
        put_block(call, call.box("dst"), number * call.number("dstPepStride") * 8, one)


@semantic("tile.bilinear_interpolation")
def bilinear(call: Call) -> None:
    """Blocks that the offsets select, times a weight for each iteration (or, with repeat_mode, each
    block), summed over the horizontal iterations."""
    source, unit = call.box("src0"), BLOCK // call.box("src0").kind.size
    across, down = call.number("h_repeat"), call.number("v_repeat")
    steps = across * down
    at = places(call, "src0_offset", 8 * steps)[:, None] // source.kind.size + np.arange(unit)
    tile = picked(source, at)
    by_block = call.flag("repeat_mode")
    weights = call.read("src1", 8 * steps if by_block else steps)
    factors = weights.moved(lambda part: part if by_block else np.repeat(part, 8))
    half = source.kind.work
    products = (tile.values * factors.values[:, None]).reshape(down, across, 8, unit)
    marks: Any = None
    if tile.poison is not None or factors.poison is not None:
        marks = np.zeros(products.shape, bool)
        for part, shape in ((tile.poison, (-1, unit)), (factors.poison, (-1, 1))):
            if part is not None:
                marks |= np.broadcast_to(part.reshape(shape), tile.values.shape).reshape(
                    marks.shape
                )
        marks = marks.any(axis=1)
    found = np.add.reduce(products, axis=1, dtype=half)
    _place(call, found, marks, unit)


def _place(call: Call, found: Array, marks: Any, unit: int) -> None:
    target, stride, lanes = call.box("dst"), call.number("dst_blk_stride"), call.number("mask")
    for row in range(found.shape[0]):
        for block in range(8):
            taken = max(0, min(unit, lanes - block * unit))
            if taken:
                one = Tile(found[row, block, :taken])
                if marks is not None:
                    one = Tile(one.values, marks[row, block, :taken])
                at = row * call.number("v_r_offset") + block * stride * unit
                put_block(call, target, at, one)
