"""Reductions along a row or a column of a tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.ascendc.templates import scratch
from tl_ascend.backends.common.axes import reduced_axis, reduced_sizes
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.common.views import rows_of
from tl_ascend.ir.addresses import block_elements
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
    rows, columns = reduced_sizes(emission, call, tile)
    _require_pitch(emission, call, tile, rows, columns)
    axis, clear = reduced_axis(call, tile), call.flag("clear")
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


def _require_pitch(emission: Emission, call: Call, tile: Region, rows: int, columns: int) -> None:
    """Errors: Refusal where rows lie otherwise than the template takes them."""
    walked = rows_of(emission.kernel, tile)
    pitch = round_up(columns, block_elements(tile.buffer.dtype))
    if walked is not None and rows > 1 and walked.pitch != pitch:
        raise Refusal(
            "not-lowered",
            tile.span,
            f"{columns} columns of {show_region(tile)}, whose rows are {walked.pitch} elements "
            f"apart: {call.form.name} expects rows that are {pitch} apart",
            "Copy the part to a tile of its own first.",
        )
