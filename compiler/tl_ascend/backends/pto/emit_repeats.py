"""Reductions of repeats and blocks, as reductions of the rows that these are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.operands import hidden
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.pto.emit_elements import numbers, place, walk
from tl_ascend.backends.pto.emit_reduce import row_scratch
from tl_ascend.backends.pto.emit_vector import size_of
from tl_ascend.backends.pto.rules import rule
from tl_ascend.backends.pto.tiles import COLUMN, NAMES, Shape, row_of
from tl_ascend.ir.addresses import block_elements
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import BLOCK, round_up
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto

BLOCKS = 8  # of 32 bytes in a repeat
_FOUND = {
    "ORDER_VALUE_INDEX": "ValueIndex",
    "ORDER_INDEX_VALUE": "IndexValue",
    "ORDER_ONLY_VALUE": "Value",
    "ORDER_ONLY_INDEX": "Index",
}


def _constant(call: Call, name: str) -> int:
    value = call.arg(name)
    if isinstance(value, int):
        return int(value)
    text = f"{name} of T.{call.row.name} must be known when the kernel is compiled on route pto"
    raise Refusal("dynamic-shape", call.span(name), text)


def _kind(call: Call) -> str:
    """The instruction, by the last word of the name."""
    return f"TROW{call.row.name[-3:].upper()}"


def _rows(call: Call, rows: Scalar, columns: Scalar, pitch: int) -> Shape:
    """Rows of the source at a pitch, of which some columns count. Errors: Refusal."""
    source = call.region("src")
    if isinstance(columns, int) and columns > pitch:
        text = f"repeats of {columns} elements that lie {pitch} apart: route pto reduces rows, which do "
        raise Refusal("not-lowered", call.op.span, f"{text}not overlap")
    high = rows if isinstance(rows, int) else max(1, size_of(source) // pitch)
    return Shape(int(high), pitch, rows, columns)


def _reduce(emission: Pto, call: Call, to: str, shape: Shape, function: str) -> None:
    source = call.region("src")
    of = emission.tiles.view(source, shape)
    emission.call(function, to, of, row_scratch(emission, call, shape))


# --- repeats and blocks ----------------------------------------------------------------------------


@rule("whole_reduce")
def whole_reduce(emission: Pto, call: Call) -> None:
    """A repeat is a row. Results that stand apart or with their places are spread by the scalar unit."""
    check_types(emission, call)
    target, source = call.region("dst"), call.region("src")
    names = ("mask", "repeattimes", "dstrepstride", "srcblkstride", "srcrepstride")
    mask, times, step, apart, pitch = (_constant(call, name) for name in names)
    if apart != 1:
        text = "route pto reduces repeats whose blocks follow each other: srcblkstride 1"
        raise Refusal("not-lowered", call.span("srcblkstride"), text)
    order = call.choice("ReduceOrder") if "ReduceOrder" in _given(call) else "ORDER_ONLY_VALUE"
    unit = block_elements(source.buffer.dtype)
    width = round_up(mask, unit) if times == 1 else pitch * unit
    shape = _rows(call, times, mask, width)
    if order == "ORDER_ONLY_VALUE" and step == 1:
        _reduce(emission, call, emission.tiles.column(target, times), shape, _kind(call))
        return
    at = emission.tiles.end(hidden(call), times * BLOCK)
    _reduce(emission, call, _column(emission, source, times, at), shape, _kind(call))
    rooms = map(emission.tiles.room, (target, source))
    kind = f"tl::ascend_pto::Found::{_FOUND[order]}"
    walk(
        emission,
        "spread",
        (kind, emission.type(target.buffer), *rooms, times),
        *(place(emission, target), str(at), place(emission, source)),
        *map(str, (mask, step, pitch)),
    )


def _given(call: Call) -> set[str]:
    return {param.name for param in call.row.params}


def _column(emission: Pto, of: Region, rows: Scalar, address: int, high: int = 0) -> str:
    """Results in scratch, one for each row."""
    high = round_up(high or int(rows), block_elements(of.buffer.dtype))
    kind = emission.type(of.buffer)
    return emission.tiles.made(of.buffer, COLUMN, kind, Shape(high, 1, rows, 1), address)


@rule("block_reduce")
def block_reduce(emission: Pto, call: Call) -> None:
    """A block is a row."""
    check_types(emission, call)
    source = call.region("src")
    names = ("repeat", "mask", "dstPepStride", "srcBlkStride", "srcRepStride")
    times, mask, step, apart, pitch = (_constant(call, name) for name in names)
    unit = block_elements(source.buffer.dtype)
    blocks = mask // unit
    if mask % unit or (times > 1 and (blocks, step, pitch) != (BLOCKS, 1, BLOCKS * apart)):
        text = "route pto reduces whole blocks at one distance, with results one behind the other"
        raise Refusal("not-lowered", call.op.span, text)
    rows = blocks if times == 1 else BLOCKS * times
    shape = _rows(call, rows, unit, apart * unit)
    _reduce(emission, call, emission.tiles.column(call.region("dst"), rows), shape, _kind(call))


# --- sums ------------------------------------------------------------------------------------------


@rule("sum_experiment")
def sum_experiment(emission: Pto, call: Call) -> None:
    """One sum for each row."""
    check_types(emission, call)
    source = call.region("src")
    rows, pitch, columns = numbers(call, "sumParams", 3)
    if not isinstance(rows, int) or (rows > 1 and not isinstance(pitch, int)):
        text = "the rows of T.tile.sum_experiment must be known when the kernel is compiled"
        raise Refusal("dynamic-shape", call.span("sumParams"), text)
    shape = row_of(columns, source.buffer.dtype, size_of(source))
    if rows > 1:
        shape = _rows(call, rows, columns, int(pitch))
    to = emission.tiles.column(call.region("dst"), rows)
    _reduce(emission, call, to, shape, "TROWSUM")


@rule("reduce_sum_mask")
def reduce_sum_mask(emission: Pto, call: Call) -> None:
    """A sum of each repeat, and of these."""
    check_types(emission, call)
    source, times = call.region("src"), call.arg("repeatTime")
    type = source.buffer.dtype
    pitch = _constant(call, "srcRepStride") * block_elements(type)
    shape = _rows(call, times, call.arg("mask"), pitch)
    at = emission.tiles.end(hidden(call), shape.rows * BLOCK)
    sums = _column(emission, source, times, at, shape.rows)
    _reduce(emission, call, sums, shape, "TROWSUM")
    emission.barrier("V")
    line = row_of(times, type, shape.rows)
    row = emission.tiles.made(
        source.buffer, NAMES[Memory.UB], emission.type(source.buffer), line, at
    )
    to = emission.tiles.column(call.region("dst"), 1)
    emission.call("TROWSUM", to, row, row_scratch(emission, call, line))
