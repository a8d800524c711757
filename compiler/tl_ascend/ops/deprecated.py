"""Rows that upstream marks as deprecated: direct forms of single device calls."""

from __future__ import annotations

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import Op, Param, RuleName, Values
from tl_ascend.ops.tiles import form, lacking, numbers, reads, tile_op, word, writes

_ORDERS = (
    "ORDER_VALUE_INDEX",
    "ORDER_INDEX_VALUE",
    "ORDER_ONLY_VALUE",
    "ORDER_ONLY_INDEX",
)
_TILES = (writes("dst", whole=True), reads("src", whole=True))


def _fields(params: tuple[Param, ...]) -> str:
    return ", ".join(f"{{{param.name}}}" for param in params)


def _whole_reduce(kind: str) -> Op:
    strides = numbers("mask", "repeattimes", "dstrepstride", "srcblkstride", "srcrepstride")
    order = () if kind == "sum" else (word("ReduceOrder", *_ORDERS, default=_ORDERS[0]),)
    api = f"WholeReduce{kind.capitalize()}"
    last = ", AscendC::ReduceOrder::{ReduceOrder}" if order else ""
    return tile_op(
        f"wholereduce{kind}",
        "deprecated",
        (*_TILES, *strides, *order),
        f"dst = {kind} of each repeat of src.",
        api,
        form(
            api,
            f"AscendC::{api}({_fields((*_TILES, *strides))}{last})",
            dtypes.FLOATS,
            pto=RuleName("whole_reduce"),
        ),
        scratch="repeats",
        deprecated=f"use T.reduce_{kind}",
    )


def _block_reduce(kind: str) -> Op:
    params = (
        *_TILES,
        *numbers("repeat", "mask", "dstPepStride", "srcBlkStride", "srcRepStride"),
    )
    api = f"BlockReduce{kind.capitalize()}"
    return tile_op(
        f"block_reduce_{kind}",
        "deprecated",
        params,
        f"dst = {kind} of each block of 32 bytes of src.",
        api,
        form(
            api, f"AscendC::{api}({_fields(params)})", dtypes.FLOATS, pto=RuleName("block_reduce")
        ),
        scratch="repeats",
        deprecated=f"use T.reduce_{kind}",
    )


_BILINEAR = (
    writes("dst", whole=True),
    reads("src0", whole=True),
    reads("src0_offset", dtypes.OFFSETS, whole=True, values=Values.BLOCKS),
    reads("src1", whole=True),
    *numbers("mask", "h_repeat"),
    Param("repeat_mode", "flag"),
    *numbers("dst_blk_stride", "v_r_offset", "v_repeat"),
)

ROWS = lacking(
    "pto",
    *map(_whole_reduce, ("max", "min", "sum")),
    *map(_block_reduce, ("max", "min", "sum")),
    tile_op(
        "bilinear_interpolation",
        "deprecated",
        _BILINEAR,
        "Weighted sums of blocks of src0 that src0_offset selects (byte offsets), with the weights in "
        "src1.",
        "BilinearInterpolation",
        form(
            "BilinearInterpolation",
            f"AscendC::BilinearInterpolation({_fields(_BILINEAR)}, {{scratch}})",
            dtypes.HALF,
            pto=RuleName("bilinear"),
        ),
        scratch="bilinear",
        deprecated="upstream names no replacement",
    ),
)
