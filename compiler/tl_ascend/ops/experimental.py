"""Rows that upstream marks as experiments: counted, masked and strided forms, one value for each row."""

from __future__ import annotations

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import Form, Given, Op, Param, Role, RuleName, Values
from tl_ascend.ops.tiles import (
    BLOCKS,
    SCALAR_INSIDE,
    TILE,
    UB,
    blocks_of_repeats,
    counted,
    emits,
    form,
    lacking,
    number,
    numbers,
    reads,
    scalar,
    tile_op,
    word,
    writes,
)
from tl_ascend.target.hardware import Core, Memory, Pipe


def _block_a_row(given: Given) -> int:
    rows = given.size("dst") // int(given.arg("dst").extents[-1])
    return rows * given.unit


_TMP = Param("tmp", "region", Role.READ_WRITE, None, UB, values=Values.NONE, needs=_block_a_row)
_SRC1 = (
    "src1 has one value for each row: [R], [1, R] or [R, 1]. Rows of a multiple of 256 bytes, as many "
    "as a multiple of 8."
)


def _row_expand(name: str, mask: str, sign: str, api: str) -> Op:
    rule = RuleName("row_expand")
    return tile_op(
        f"row_expand_{name}_experiment",
        "experimental",
        (writes("dst"), reads("src0"), reads("src1"), _TMP),
        f"dst[i, j] = src0[i, j] {sign} src1[i]. {_SRC1} tmp takes src1 repeated over 32 bytes for "
        "each row; without it src1 must hold it in that form.",
        f"Brcb, {api}",
        form(f"brcb_{mask}", rule, dtypes.FLOATS, ("brcb", mask)),
        form(mask, rule, dtypes.FLOATS),
        choose="optional",
        checks=("row_scalars",),
    )


def _counted(name: str, api: str, sources: tuple[Param, ...], given: str, doc: str) -> Op:
    operands = ", ".join(f"{{{source.name}}}" for source in sources)
    return tile_op(
        f"{name}_experiment",
        "experimental",
        (writes("dst", whole=True), *sources, number("count")),
        f"{doc}, the first `count` elements.",
        api,
        form(
            api,
            f"AscendC::{api}({{dst}}, {operands}, {{count}})",
            getattr(dtypes, given),
            pto=RuleName("counted"),
        ),
        checks=("count_fits",),
        by_element=True,
    )


_WHOLE_SOURCE = reads("src", whole=True)


def _masked_repeats(given: Given) -> int:
    between = given.number("srcRepStride") * given.unit
    return (given.number("repeatTime") - 1) * between + given.number("mask")


def _filled(given: Given) -> int:
    """To the last lane of the last repeat whose bit is set, of the 64 that can be reached."""
    bits = given.number("mask") & 2**64 - 1
    lane = min(bits.bit_length(), BLOCKS * given.unit) - 1
    while lane >= 0 and not bits >> lane & 1:
        lane -= 1
    if lane < 0:
        return 0
    unit, times = given.unit, given.number("repeatTimes")
    first = lane // unit * given.number("dstBlockStride") * unit + lane % unit
    return (times - 1) * given.number("dstRepeatStride") * unit + first + 1


def _summed_rows(given: Given) -> int:
    rows, pitch, length = (given.number("sumParams", at) for at in range(3))
    return (rows - 1) * pitch + length


ROWS = (
    tile_op(
        "row_expand_mul",
        "experimental",
        (writes("dst"), reads("src0"), reads("src1"), _TMP),
        "dst[i, j] = src0[i, j] * src1[i]. src1 has one value for each row: [R], [1, R] or [R, 1].",
        "Brcb, Mul; PTO TROWEXPANDMUL",
        form(
            "row_expand_mul",
            RuleName("row_expand"),
            dtypes.FLOATS,
            ("brcb", "mul_mask"),
        ),
        scratch="blocks",
        checks=("row_scalars",),
        lacking_on=("ascendc",),
        unordered=True,
    ),
    _row_expand("mul", "mul_mask", "*", "Mul"),
    _row_expand("sub", "sub_mask", "-", "Sub"),
    _row_expand("div", "div_mask", "/", "Div"),
    tile_op(
        "brcb_experiment",
        "experimental",
        (
            writes(
                "dst",
                needs=blocks_of_repeats("repeat_times", "dst_blk_stride", "dst_repeat_stride"),
            ),
            reads("src", needs=lambda given: BLOCKS * given.number("repeat_times")),
            *numbers("repeat_times", "dst_blk_stride", "dst_repeat_stride"),
        ),
        "Repeat each of 8 elements of src over a block of 32 bytes, in each of `repeat_times` repeats. "
        "Strides count blocks.",
        "Brcb",
        form(
            "brcb",
            "tl::ascend::brcb<{type}>({dst}, {src}, {repeat_times}, {dst_blk_stride}, "
            "{dst_repeat_stride})",
            dtypes.WORDS16_32,
            pto=RuleName("brcb"),
            waits=SCALAR_INSIDE,
        ),
    ),
    *lacking(
        "pto",
        _counted(
            "sub",
            "Sub",
            (reads("src0", whole=True), reads("src1", whole=True)),
            "NUMBERS",
            "dst = src0 - src1",
        ),
        _counted("abs", "Abs", (_WHOLE_SOURCE,), "FLOATS", "dst = |src|"),
        _counted(
            "mins",
            "Mins",
            (_WHOLE_SOURCE, scalar("scalarValue")),
            "NUMBERS",
            "dst = min(src, scalarValue)",
        ),
        tile_op(
            "reduce_sum_experiment",
            "experimental",
            (
                writes("dst", whole=True),
                reads("src", whole=True, needs=counted("count")),
                number("count"),
            ),
            "dst[0] = sum of the first `count` elements of src.",
            "ReduceSum",
            form(
                "ReduceSum",
                "AscendC::ReduceSum({dst}, {src}, {scratch}.ReinterpretCast<{type}>(), {count})",
                dtypes.FLOATS,
                pto=RuleName("reduce_sum"),
            ),
            scratch="source",
        ),
        tile_op(
            "reduce_sum_mask_experiment",
            "experimental",
            (
                writes("dst", whole=True),
                reads("src", whole=True, needs=_masked_repeats),
                *numbers("mask", "repeatTime", "srcRepStride"),
            ),
            "dst[0] = sum of src, of `repeatTime` repeats the first `mask` elements each.",
            "ReduceSum",
            form(
                "ReduceSum",
                "AscendC::ReduceSum({dst}, {src}, {scratch}.ReinterpretCast<{type}>(), {mask}, "
                "{repeatTime}, {srcRepStride})",
                dtypes.FLOATS,
                pto=RuleName("reduce_sum_mask"),
            ),
            scratch="repeat_sums",
        ),
        tile_op(
            "gathermask_experiment",
            "experimental",
            (
                writes("dst", whole=True),
                reads("src0", whole=True),
                reads("src1Pattern", dtypes.PATTERN, whole=True),
                Param("reduceMode", "flag"),
                number("mask"),
                Param("GatherMaskParams", "list"),
                number("rsvdCnt"),
            ),
            "The elements of src0 whose bits in src1Pattern are set. reduceMode: mask counts elements. "
            "GatherMaskParams: block stride and number of repeats, then the repeat strides of src0 and "
            "src1Pattern.",
            "GatherMask",
            form(
                "GatherMask_experiment",
                RuleName("gathermask_experiment"),
                dtypes.WORDS16_32,
            ),
        ),
        tile_op(
            "fill_experiment",
            "experimental",
            (
                writes("dst", whole=True, needs=_filled),
                scalar("value"),
                Param("mask", "list"),
                *numbers("repeatTimes", "dstBlockStride", "dstRepeatStride"),
            ),
            "Elements of the tile = value: of each of `repeatTimes` repeats those whose bit in mask[0] "
            "is set. Strides count blocks.",
            "Duplicate",
            form("Fill_experiment", RuleName("fill_experiment"), dtypes.WORDS16_32),
        ),
        tile_op(
            "sum_experiment",
            "experimental",
            (
                writes("dst", whole=True, needs=lambda given: given.number("sumParams", 0)),
                reads("src", whole=True, needs=_summed_rows),
                Param("sumParams", "list"),
            ),
            "dst[i] = sum of row i of src. sumParams: rows, elements from row to row (whole blocks), "
            "elements that count.",
            "Sum",
            form("Sum_experiment", RuleName("sum_experiment"), dtypes.FLOATS),
            scratch="row_sums",
        ),
        Op(
            "tile.datacachecleanandinvalid_experiment",
            "tile",
            (
                Param(
                    "dst",
                    "region",
                    Role.READ_WRITE,
                    memories=(Memory.GM, Memory.UB),
                    whole=True,
                    values=Values.NONE,
                ),
                word("CacheLine", "SINGLE_CACHE_LINE", "ENTIRE_DATA_CACHE"),
                word(
                    "DcciDst", "CACHELINE_ALL", "CACHELINE_UB", "CACHELINE_OUT", "CACHELINE_ATOMIC"
                ),
            ),
            "Write what the scalar unit's cache holds of a tensor back to GM, and forget it.",
            TILE + "DataCacheCleanAndInvalid",
            "experimental",
            (
                Form(
                    "DataCacheCleanAndInvalid",
                    Pipe.S,
                    Core.ANY,
                    emits(RuleName("data_cache")),
                    dtypes=dtypes.STORED,
                ),
            ),
        ),
    ),
)
