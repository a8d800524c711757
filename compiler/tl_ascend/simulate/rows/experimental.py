"""Counted, masked and strided forms; one value for each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tl_ascend.simulate.call import Call, any_along, as_rows
from tl_ascend.simulate.errors import UnsupportedOperation
from tl_ascend.simulate.memory import Tile, either
from tl_ascend.simulate.registry import semantic
from tl_ascend.simulate.rows.gather import BLOCK, picked, put_block
from tl_ascend.simulate.rows.reduce import wide
from tl_ascend.simulate.rows.vector import LANES, mask_bits

_BLOCKS = 8  # blocks that one repeat covers


def _row_expand(call: Call, function: Callable[..., Any]) -> None:
    """Without `tmp` the values lie in blocks: the first element of each 32 bytes counts."""
    box = call.box("dst")
    rows, columns = as_rows(box)
    tile = call.box("src0").read().moved(lambda part: part.reshape(rows, columns))
    spread = call.row.name.endswith("_experiment") and not call.given("tmp")
    unit = BLOCK // box.kind.size
    if spread:
        # All lanes of a block take part, each with the lane of its own column.
        at = np.arange(rows)[:, None] * unit + np.arange(columns) % unit
        factors = picked(call.box("src1"), at)
    else:
        column = call.read("src1", rows)
        factors = column.moved(lambda part: np.broadcast_to(part[:, None], (rows, columns)))
    if call.given("tmp"):
        call.write("tmp", np.repeat(factors.values[:, 0], unit), _repeated(factors, unit))
    poison = either(tile.poison, factors.poison)
    call.write("dst", function(tile.values, factors.values), poison)


def _repeated(factors: Tile, unit: int) -> Any:
    return None if factors.poison is None else np.repeat(factors.poison[:, 0], unit)


@semantic("tile.row_expand_mul", "tile.row_expand_mul_experiment")
def row_expand_mul(call: Call) -> None:
    _row_expand(call, np.multiply)


@semantic("tile.row_expand_sub_experiment")
def row_expand_sub(call: Call) -> None:
    _row_expand(call, np.subtract)


@semantic("tile.row_expand_div_experiment")
def row_expand_div(call: Call) -> None:
    _row_expand(call, np.divide)


@semantic("tile.brcb_experiment")
def brcb(call: Call) -> None:
    """Each element over a block; strides count blocks."""
    target, repeats = call.box("dst"), call.number("repeat_times")
    unit = BLOCK // target.kind.size
    step, stride = call.number("dst_repeat_stride"), call.number("dst_blk_stride")
    tile = call.read("src", _BLOCKS * repeats)
    for number in range(_BLOCKS * repeats):
        block = number // _BLOCKS * step + number % _BLOCKS * stride
        one = tile.moved(lambda part, n=number: np.full(unit, part[n]))
        put_block(call, target, block * unit, one)


@semantic("tile.sub_experiment")
def sub(call: Call) -> None:
    call.apply("dst", ("src0", "src1"), np.subtract, call.number("count"))


@semantic("tile.abs_experiment")
def absolute(call: Call) -> None:
    call.apply("dst", ("src",), np.abs, call.number("count"))


@semantic("tile.mins_experiment")
def mins(call: Call) -> None:
    call.apply("dst", ("src", "scalarValue"), np.minimum, call.number("count"))


@semantic("tile.reduce_sum_experiment")
def reduce_sum(call: Call) -> None:
    tile = call.read("src", call.number("count"))
    _first(call, tile)


def _first(call: Call, tile: Tile) -> None:
    total = np.sum(wide(tile.values)).reshape(1)
    poison = None if tile.poison is None else np.full(1, bool(tile.poison.any()))
    call.box("dst").write_run(total, poison)


@semantic("tile.reduce_sum_mask_experiment")
def reduce_sum_mask(call: Call) -> None:
    """Of each repeat the first `mask` elements; strides count blocks."""
    box = call.box("src")
    at = repeats(box.kind.size, call.number("repeatTime"), 1, call.number("srcRepStride"))
    _first(call, picked(box, at[:, : call.number("mask")]).flat())


def repeats(size: int, times: int, block: int, step: int) -> Any:
    """Offsets of the lanes of each repeat: strides from block to block and repeat to repeat."""
    unit = BLOCK // size
    lanes = np.arange(LANES // size)
    inner = lanes // unit * block * unit + lanes % unit
    return np.arange(times)[:, None] * step * unit + inner


@semantic("tile.gathermask_experiment")
def gathermask(call: Call) -> None:
    """Counted, each repeat covers `mask` elements; else 256 bytes."""
    source, size = call.box("src0"), call.box("src0").kind.size
    block, times, step, stride = call.numbers("GatherMaskParams", 4)[:4]
    count = call.number("mask") if call.flag("reduceMode") else LANES // size
    if block != 1 and count > LANES // size:
        raise UnsupportedOperation("a counted GatherMask over blocks that lie apart")
    unit = BLOCK // size
    lanes = np.arange(count)
    lanes = lanes // unit * block * unit + lanes % unit
    found = []
    for number in range(times):
        bits = _pattern(call, number * stride * BLOCK, count)
        found.append((number * step * unit + lanes)[bits])
    tile = picked(source, np.concatenate(found) if found else np.zeros(0, np.int64))
    call.box("dst").write_run(tile.values, tile.poison)


def _pattern(call: Call, offset: int, count: int) -> Any:
    bits, spoiled = mask_bits(call, "src1Pattern", offset * 8 + count)
    if spoiled is not None and spoiled[offset * 8 :].any():
        raise UnsupportedOperation("the pattern of T.tile.gathermask_experiment was not written")
    return bits[offset * 8 :]


@semantic("tile.fill_experiment")
def fill(call: Call) -> None:
    """Of each repeat the elements whose bit in mask[0] is set: 64 can be reached."""
    target = call.box("dst")
    number = call.scalar("value", target.kind)
    mask = call.numbers("mask", 1)[0] & 0xFFFFFFFFFFFFFFFF
    strides = call.number("dstBlockStride"), call.number("dstRepeatStride")
    at = repeats(target.kind.size, call.number("repeatTimes"), *strides)
    lanes = [lane for lane in range(min(64, at.shape[1])) if mask >> lane & 1]
    poison = None if number.poison is None else np.full(1, True)
    for offset in at[:, lanes].ravel():
        put_block(call, target, int(offset), Tile(number.values.reshape(1), poison))


@semantic("tile.sum_experiment")
def sum_(call: Call) -> None:
    """One sum for each row."""
    rows, pitch, count = call.numbers("sumParams", 3)[:3]
    at = np.arange(rows)[:, None] * pitch + np.arange(count)
    tile = picked(call.box("src"), at)
    call.box("dst").write_run(np.sum(wide(tile.values), axis=1), any_along(tile.poison, 1))


@semantic("tile.datacachecleanandinvalid_experiment")
def data_cache(call: Call) -> None:
    """Caches are not modelled: what a core writes is in memory at once."""
