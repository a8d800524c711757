"""Masked and strided forms of vector calls, and one value for each row of a tile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.common.operands import hidden
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.common.views import constant, rows_of
from tl_ascend.ir.addresses import block_elements
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.text import show_region

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission

# One repeat of the vector unit is 8 blocks; a call makes at most 255 (high-dimensional slicing).
BLOCKS, MOST = 8, 255
ALL_LANES = "0xFFFFFFFFFFFFFFFF"


@rule("row_expand")
def row_expand(emission: Emission, call: Call) -> None:
    """Each repeat is one row, a repeat wide; its second source is one block that holds the row's
    value, which Brcb makes of eight values at a time."""
    check_types(emission, call)
    target, source, values = (call.region(name) for name in ("dst", "src0", "src1"))
    rows, parts, pitch = _sizes(emission, call, target)
    if rows_of(emission.kernel, source) != rows_of(emission.kernel, target):
        text = f"{show_region(source)} and {show_region(target)} do not have the same rows"
        raise Refusal("not-lowered", source.span, text)
    kind, tmp = emission.type(target.buffer), call.arg("tmp")
    if not isinstance(tmp, Region) and call.form.name == "row_expand_mul":
        tmp = hidden(call)
    if isinstance(tmp, Region):
        pointers = (emission.pointer(tmp), emission.pointer(values))
        emission.call(f"tl::ascend::brcb<{kind}>", *pointers, str(rows // BLOCKS), "1", "8")
        emission.barrier("V")
        values = tmp
    unit = BLOCKS * block_elements(target.buffer.dtype)
    if parts == 1:
        _masked(emission, call, (target, source, values), rows, pitch, 0)
        return
    with emission.loop("part", parts) as part:
        step = binary("*", part, unit)
        _masked(emission, call, (target, source, values), rows, pitch, step)


def _masked(
    emission: Emission,
    call: Call,
    tiles: tuple[Region, Region, Region],
    rows: int,
    pitch: int,
    step: Scalar,
) -> None:
    target, source, values = tiles
    name = call.form.counted[-1]
    upper = ALL_LANES if target.buffer.dtype.bits == 16 else "0"
    emission.call(
        f"tl::ascend::{name}<{emission.type(target.buffer)}>",
        emission.pointer(target, step),
        emission.pointer(source, step),
        emission.pointer(values),
        ALL_LANES,
        upper,
        *map(str, (rows, 1, 1, 0, pitch, pitch, 1)),
    )


def _sizes(emission: Emission, call: Call, target: Region) -> tuple[int, int, int]:
    """Rows, repeats to a row, blocks from row to row. Errors: Refusal."""
    walked = rows_of(emission.kernel, target)
    if walked is None:
        text = f"{show_region(target)} has more than two dimensions to walk"
        raise Refusal("not-lowered", target.span, text)
    rows = constant(walked.rows, target, "the number of its rows")
    columns = constant(walked.columns, target, "the number of its columns")
    pitch = constant(walked.pitch, target, "its width")
    block = block_elements(target.buffer.dtype)
    unit = BLOCKS * block
    wide = pitch // block > MOST  # strides are bytes of the instruction
    if rows % BLOCKS or rows > MOST or columns % unit or pitch % block or wide:
        raise Refusal(
            "not-lowered",
            target.span,
            f"{show_region(target)} has {rows} rows of {columns} elements: T.{call.row.name} takes "
            f"a multiple of {BLOCKS} rows, at most {MOST // BLOCKS * BLOCKS}, of a multiple of "
            f"{unit} elements",
        )
    return rows, columns // unit, pitch // block


def _numbers(emission: Emission, call: Call, name: str, least: int) -> list[str]:
    """A list argument as separate ones. Errors: Refusal."""
    given: Any = call.arg(name)
    if not isinstance(given, (tuple, list)) or len(given) < least:
        text = f"{name} of T.{call.row.name} is a list of {least} numbers"
        raise Refusal("not-lowered", call.span(name), text)
    return [emission.values.index(value) for value in given[:least]]


@rule("fill_experiment")
def fill_experiment(emission: Emission, call: Call) -> None:
    check_types(emission, call)
    target = call.region("dst")
    strides = ("repeatTimes", "dstBlockStride", "dstRepeatStride")
    emission.call(
        f"tl::ascend::Fill_experiment<{emission.type(target.buffer)}>",
        emission.pointer(target),
        emission.values.typed(call.arg("value"), target.buffer.dtype),
        *_numbers(emission, call, "mask", 1),
        *(emission.values.index(call.arg(name)) for name in strides),
    )


@rule("sum_experiment")
def sum_experiment(emission: Emission, call: Call) -> None:
    check_types(emission, call)
    target, source = call.region("dst"), call.region("src")
    emission.call(
        f"tl::ascend::Sum_experiment<{emission.type(target.buffer)}>",
        emission.pointer(target),
        emission.pointer(source),
        *_numbers(emission, call, "sumParams", 3),
    )


@rule("gathermask_experiment")
def gathermask_experiment(emission: Emission, call: Call) -> None:
    check_types(emission, call)
    tiles = [call.region(name) for name in ("dst", "src0", "src1Pattern")]
    emission.call(
        f"tl::ascend::GatherMask_experiment<{emission.type(tiles[0].buffer)}>",
        *map(emission.pointer, tiles),
        emission.values.condition(call.arg("reduceMode")),
        emission.values.index(call.arg("mask")),
        *_numbers(emission, call, "GatherMaskParams", 4),
        emission.values.index(call.arg("rsvdCnt")),
    )


@rule("data_cache")
def data_cache(emission: Emission, call: Call) -> None:
    check_types(emission, call)
    target = call.region("dst")
    words = (
        f"AscendC::CacheLine::{call.choice('CacheLine')}",
        f"AscendC::DcciDst::{call.choice('DcciDst')}",
    )
    kind = emission.type(target.buffer)
    emission.call(
        f"AscendC::DataCacheCleanAndInvalid<{', '.join((kind, *words))}>",
        emission.pointer(target),
    )
