"""Reductions along a row or a column of a tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.ascendc.templates import scratch
from tl_ascend.backends.common.axes import reduced_axis, reduced_sizes
from tl_ascend.backends.common.rules import Call
from tl_ascend.backends.common.types import check_types
from tl_ascend.ir.storage import round_up

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
