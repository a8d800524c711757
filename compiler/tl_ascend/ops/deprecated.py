"""Rows that upstream marks as deprecated: direct forms of single device calls."""

from __future__ import annotations

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import Given, Op, Param, RuleName, Values
from tl_ascend.ops.tiles import (
    BLOCKS,
    form,
    lacking,
    lanes_of_repeats,
    numbers,
    reads,
    tile_op,
    word,
    writes,
)

_ORDERS = (
    "ORDER_VALUE_INDEX",
    "ORDER_INDEX_VALUE",
    "ORDER_ONLY_VALUE",
    "ORDER_ONLY_INDEX",
)


def _results(given: Given) -> int:
    """A value and an index lie beside each other; an index of halves takes as much room."""
    order = given.arg("ReduceOrder") or "ORDER_ONLY_VALUE"
    short = given.unit > BLOCKS and order == "ORDER_ONLY_INDEX"
    width = 2 if short or order in _ORDERS[:2] else 1
    return width * ((given.number("repeattimes") - 1) * given.number("dstrepstride") + 1)


_TILES = (
    writes("dst", whole=True, needs=_results),
    reads(
        "src",
        whole=True,
        needs=lanes_of_repeats("repeattimes", "srcblkstride", "srcrepstride", "mask"),
    ),
)


def _of_blocks(given: Given) -> int:
    """A value for each block that the mask reaches."""
    last = -(-given.number("mask") // given.unit)
    return (given.number("repeat") - 1) * given.number("dstPepStride") * BLOCKS + last


def _iterations(given: Given) -> int:
    return given.number("h_repeat") * given.number("v_repeat")


def _weights(given: Given) -> int:
    by_block = given.arg("repeat_mode") is True
    return _iterations(given) * (BLOCKS if by_block else 1)


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
        writes("dst", whole=True, needs=_of_blocks),
        reads(
            "src",
            whole=True,
            needs=lanes_of_repeats("repeat", "srcBlkStride", "srcRepStride", "mask"),
        ),
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


def _interpolated(given: Given) -> int:
    last = min(given.number("mask"), BLOCKS * given.unit) - 1
    lane = last // given.unit * given.number("dst_blk_stride") * given.unit + last % given.unit
    return (given.number("v_repeat") - 1) * given.number("v_r_offset") + lane + 1


_BILINEAR = (
    writes("dst", whole=True, needs=_interpolated),
    reads("src0", whole=True),
    reads(
        "src0_offset",
        dtypes.OFFSETS,
        whole=True,
        values=Values.BLOCKS,
        needs=lambda given: BLOCKS * _iterations(given),
    ),
    reads("src1", whole=True, needs=_weights),
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
