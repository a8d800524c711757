"""Collect elements of a tile: by offsets, by blocks, by a pattern of bits."""

from __future__ import annotations

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import Given, Param, Role, RuleName, Values
from tl_ascend.ops.tiles import (
    BLOCKS,
    UB,
    blocks_of_repeats,
    form,
    number,
    numbers,
    reads,
    tile_op,
    writes,
)

PATTERNS = ("P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111")


def _selected(given: Given) -> int:
    """What a pattern selects of a tile, or as many indices as there are."""
    pattern = given.arg("src1Pattern")
    if not isinstance(pattern, str):
        return given.size("src1Pattern")
    ones = pattern.count("1")
    return given.size("src") // (len(pattern) - 1) * ones


ROWS = (
    tile_op(
        "gather",
        "gather",
        (
            writes("dst"),
            reads("src"),
            reads("src_offset", dtypes.OFFSETS, spoilt_on=("pto",), values=Values.ELEMENTS),
            number("src_base_addr"),
        ),
        "dst[i] = the element of src at byte src_base_addr + src_offset[i]. As many elements as the "
        "smaller of dst and src_offset has.",
        "Gather",
        form("Gather", RuleName("gather"), dtypes.WORDS16_32),
        scratch="places",
        checks=("spoilt_operands", "enough_offsets"),
    ),
    tile_op(
        "gatherb",
        "gather",
        (
            writes(
                "dst",
                whole=True,
                needs=blocks_of_repeats("repeat_time", "dst_blk_stride", "dst_rep_stride"),
            ),
            reads("src0", whole=True),
            reads(
                "offset",
                dtypes.OFFSETS,
                whole=True,
                values=Values.BLOCKS,
                needs=lambda given: BLOCKS * given.number("repeat_time"),
            ),
            *numbers("repeat_time", "dst_blk_stride", "dst_rep_stride"),
        ),
        "Whole 32-byte blocks of src0, at the byte offsets in `offset`, eight in each of `repeat_time` "
        "repeats.",
        "Gatherb",
        form(
            "Gatherb",
            "tl::ascend::Gatherb<{type}>({dst}, {src0}, {offset}, {repeat_time}, {dst_blk_stride}, "
            "{dst_rep_stride})",
            dtypes.WORDS16_32,
            pto=RuleName("gatherb"),
        ),
    ),
    tile_op(
        "gather_mask",
        "gather",
        (
            writes("dst", whole=True, needs=_selected),
            reads("src", whole=True),
            Param(
                "src1Pattern",
                "operand",
                Role.READ,
                memories=UB,
                dtypes=dtypes.OFFSETS,
                choices=PATTERNS,
                whole=True,
            ),
        ),
        "The elements of src that a pattern selects, one behind the other: P0101 those with even "
        "index, P1010 with odd, P0001 the first of every four, P0010, P0100, P1000 the others, P1111 "
        "all. With a uint32 tile instead: dst[i] = src[src1Pattern[i]].",
        "GatherMask, Gather",
        form(
            "Gather",
            "tl::ascend::Gather({dst}, {src}, {src1Pattern})",
            dtypes.WORDS16_32,
            pto=RuleName("gather_indices"),
        ),
        form("GatherMask", RuleName("gather_mask"), dtypes.WORDS16_32),
        choose="scalar",
        scratch="places",
    ),
)
