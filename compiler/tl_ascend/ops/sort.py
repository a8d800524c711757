"""Sorting and selection. Results are pairs of a value and its index, in descending order."""

from __future__ import annotations

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import REQUIRED, Given, Op, Param, Role, RuleName, Values
from tl_ascend.ops.tiles import (
    SCALAR_INSIDE,
    UB,
    counted,
    form,
    number,
    reads,
    tile_op,
    updates,
    writes,
)

PAIR = 8  # bytes
GROUP = 32


def _groups(given: Given) -> int:
    """The elements of whole groups, which alone are sorted."""
    return given.size("src0") // GROUP * GROUP


def _source(name: str, optional: bool = False) -> Param:
    default = None if optional else REQUIRED
    falling = Values.FALLING_PAIRS
    return Param(name, "region", Role.READ, default, UB, values=falling, aligned=PAIR)


ROWS: tuple[Op, ...] = (
    tile_op(
        "sort",
        "sort",
        (
            writes("dst", whole=True),
            updates("src", whole=True, needs=counted("actual_num")),
            number("actual_num"),
        ),
        "Sort the first `actual_num` elements of src into pairs (value, index as a number). dst holds "
        "twice as many elements as src, rounded up to whole groups of 32; what src holds behind "
        "actual_num is overwritten with -inf.",
        "Sort32, MrgSort",
        form("Sort", RuleName("sort"), dtypes.FLOATS, waits=SCALAR_INSIDE),
        scratch="sort",
        checks=("sorted_pairs",),
    ),
    tile_op(
        "topk",
        "sort",
        (
            writes("dst", whole=True),
            updates("src", whole=True, needs=counted("actual_num")),
            number("K"),
            number("actual_num"),
        ),
        "The `K` greatest of the first `actual_num` elements of src, as pairs (value, index as a "
        "number). dst holds 2 K elements; src has a fixed size.",
        "Sort32, MrgSort",
        form("TopK", RuleName("topk"), dtypes.FLOATS, waits=SCALAR_INSIDE),
        scratch="topk",
        checks=("sorted_pairs",),
    ),
    tile_op(
        "sort32",
        "sort",
        (
            writes("dst", whole=True, needs=lambda given: _groups(given) * PAIR * given.unit // 32),
            reads("src0", whole=True),
            reads("src1", dtypes.OFFSETS, whole=True, needs=_groups),
        ),
        "Sort every 32 elements of src0; src1 gives their indices (uint32). dst holds pairs of 8 "
        "bytes: the value, then the index.",
        "Sort32",
        form("Sort32", RuleName("sort32"), dtypes.FLOATS),
    ),
    tile_op(
        "merge_sort",
        "sort",
        (
            writes("dst"),
            _source("src0"),
            _source("src1"),
            _source("src2", optional=True),
            _source("src3", optional=True),
        ),
        "Merge two to four sorted runs of pairs into one.",
        "MrgSort",
        form("MergeSort", RuleName("merge_sort"), dtypes.FLOAT, waits=SCALAR_INSIDE),
        scratch="merge",
        checks=("merged_size",),
    ),
    tile_op(
        "init_sort_buf",
        "sort",
        (writes("buffer", whole=True, needs=counted("num")), number("num"), number("rsv")),
        "Fill with pairs (-inf, -1). num: number of elements; upstream passes rsv in its place.",
        "Duplicate",
        form(
            "InitSortBuf",
            "tl::ascend::InitSortBuf<{type}>({buffer}, {num})",
            dtypes.FLOAT,
            pto=RuleName("init_sort_buf"),
        ),
        lacking_on=("pto",),
    ),
)
