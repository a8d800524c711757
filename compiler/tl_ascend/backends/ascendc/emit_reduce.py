"""Reductions along a row or a column of a tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.ascendc.templates import scratch
from tl_ascend.backends.common.addresses import block_elements
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.common.views import constant, rows_of
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import round_up
from tl_ascend.ir.text import show_region

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission

# One repeat of the vector unit holds so many halves; a row sum of more needs partial sums.
LANES = 128


@rule("reduce")
def reduce(emission: Emission, call: Call) -> None:
    """Sizes and direction are part of the call; rows of the tile begin at whole blocks."""
    tile, out = call.region("buffer"), call.region("out")
    check_types(emission, call)
    rows, columns = _sizes(emission, call, tile)
    axis, clear = _axis(call, tile), call.flag("clear")
    kind, pointers = emission.type(tile.buffer), (emission.pointer(out), emission.pointer(tile))
    short = call.form.name == "reduce_sum" and kind == "half" and clear and axis == -1
    if short and columns <= LANES:
        blocks = round_up(columns, 16) // 16
        numbers = map(str, (columns, rows, blocks))
        emission.call("tl::ascend::reduce_sum_half<half>", *pointers, *numbers)
        return
    emission.call(
        f"tl::ascend::{call.form.name}<{kind}, {rows}, {columns}, {axis}>",
        *pointers,
        scratch(emission, call),
        "true" if clear else "false",
    )


def _axis(call: Call, tile: Region) -> int:
    """-1 along a row, 0 along a column. Of a tile with three dimensions upstream counts the last
    two only: there dim 0 is a column and dim 1 a row."""
    dim, rank = call.arg("dim"), len(tile.extents)
    if not isinstance(dim, int):
        text = "dim must be known when the kernel is compiled"
        raise Refusal("dynamic-shape", call.span("dim"), text)
    rank = min(rank, 2)
    return -1 if dim % rank == rank - 1 else 0


def _sizes(emission: Emission, call: Call, tile: Region) -> tuple[int, int]:
    """Rows and columns that count. Errors: Refusal."""
    walked = rows_of(emission.kernel, tile)
    if walked is None:
        text = f"{show_region(tile)} has more than two dimensions to walk"
        raise Refusal("not-lowered", tile.span, text)
    rows = constant(walked.rows, tile, "the number of its rows")
    columns = constant(walked.columns, tile, "the number of its columns")
    real = call.arg("real_shape")
    if isinstance(real, tuple) and len(real) == 2:
        # A size of 0 stands for all of it.
        high, wide = (constant(size, tile, "real_shape") for size in real)
        rows, columns = high or rows, wide or columns
    pitch = round_up(columns, block_elements(tile.buffer.dtype))
    if rows > 1 and walked.pitch not in (pitch, columns):
        raise Refusal(
            "not-lowered",
            tile.span,
            f"{columns} columns of {show_region(tile)}, whose rows are {walked.pitch} elements "
            f"apart: {call.form.name} expects rows that are {pitch} apart",
            "Copy the part to a tile of its own first.",
        )
    return rows, columns
