"""Give every buffer on chip the layout in which its unit reads it.

The matrix unit works on fractals of 512 bytes, 16 rows of 32: L1 holds a tile as zN unless the
author annotates another layout, L0A wants zZ, L0B nZ, L0C zN. GM and the UB are row-major. A tile
that a matrix operation takes transposed is stored like any other; the move to L0 turns it.
"""

from __future__ import annotations

from tl_ascend.ir.changed import changed
from tl_ascend.ir.nodes import Kernel, Placement
from tl_ascend.passes.context import PassContext
from tl_ascend.target.hardware import Memory

_NATURAL = {Memory.L1: "zN", Memory.L0A: "zZ", Memory.L0B: "nZ", Memory.L0C: "zN"}
_WHY = {
    Memory.L1: "the moves to L0 read fractals of 16 rows of 32 bytes, column of fractals by column",
    Memory.L0A: "the matrix unit reads its left operand fractal row by fractal row",
    Memory.L0B: "the matrix unit reads its right operand as transposed fractals",
    Memory.L0C: "the matrix unit writes its sums as fractals of 16 by 16",
}
_ROWS = "row after row, as the author indexes it"


def infer_layouts(kernel: Kernel, context: PassContext) -> Kernel:
    """Set the layout of each placement; an annotation wins where the memory has a choice."""
    return kernel.with_placements(
        {uid: _placed(place, kernel.layouts.get(uid)) for uid, place in kernel.placements.items()}
    )


def _placed(place: Placement, annotated: str | None) -> Placement:
    natural = _NATURAL.get(place.memory, "ND")
    why = _WHY.get(place.memory, _ROWS)
    if not annotated:
        return changed(place, layout=natural, layout_reason=why)
    if place.memory in (Memory.L1, Memory.GM):
        return changed(place, layout=annotated, layout_reason="T.annotate_layout asks for it")
    return changed(place, layout=natural, layout_reason=f"{why}; the annotation has no effect here")
