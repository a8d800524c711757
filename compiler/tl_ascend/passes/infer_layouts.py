"""Give every buffer on chip the layout in which its unit reads it.

The matrix unit works on fractals of 512 bytes, 16 rows of 32: L1 holds a tile as zN unless the
author annotates another layout, L0A wants zZ, L0B nZ, L0C zN. GM and the UB are row-major. A tile
that a matrix operation takes transposed is stored like any other; the move to L0 turns it.
"""

from __future__ import annotations

from dataclasses import replace

from tl_ascend.ir.nodes import Kernel
from tl_ascend.passes.context import PassContext
from tl_ascend.target.hardware import Memory

_NATURAL = {Memory.L1: "zN", Memory.L0A: "zZ", Memory.L0B: "nZ", Memory.L0C: "zN"}


def infer_layouts(kernel: Kernel, context: PassContext) -> Kernel:
    """Set the layout of each placement; an annotation wins where the memory has a choice."""
    return kernel.with_placements(
        {
            uid: replace(place, layout=_layout(place.memory, kernel.layouts.get(uid)))
            for uid, place in kernel.placements.items()
        }
    )


def _layout(memory: Memory, annotated: str | None) -> str:
    natural = _NATURAL.get(memory, "ND")
    return annotated if annotated and memory in (Memory.L1, Memory.GM) else natural
