"""Collecting elements of a tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.common.rules import Call
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.common.views import product, require_contiguous
from tl_ascend.ir.fold import binary

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission

# The numbers that the vector unit has for its fixed patterns (page GatherMask).
PATTERNS = ("P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111")


@rule("gather")
def gather(emission: Emission, call: Call) -> None:
    """As many elements as the smaller of result and offsets has."""
    check_types(emission, call)
    target, source, offsets = (call.region(n) for n in ("dst", "src", "src_offset"))
    for tile in (target, source, offsets):
        require_contiguous(emission.kernel, tile, call.form.name)
    count = binary("min", product(target.extents), product(offsets.extents))
    emission.call(
        "AscendC::Gather",
        *map(emission.pointer, (target, source, offsets)),
        emission.values.index(call.arg("src_base_addr")),
        emission.values.index(count),
    )


@rule("gather_mask")
def gather_mask(emission: Emission, call: Call) -> None:
    check_types(emission, call)
    pattern = call.choice("src1Pattern")
    target, source = call.region("dst"), call.region("src")
    emission.call(
        f"tl::ascend::GatherMask<{emission.type(target.buffer)}>",
        emission.pointer(target),
        emission.pointer(source),
        str(PATTERNS.index(pattern) + 1),
    )
