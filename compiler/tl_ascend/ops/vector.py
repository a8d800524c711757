"""Arithmetic, conversion, comparison and repetition on the UB, and reductions: most rows one line."""

from __future__ import annotations

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import Dtypes, Emit, Form, Op, Param, Role, RuleName
from tl_ascend.ops.tiles import (
    SCALAR_INSIDE,
    UB,
    UPSTREAM,
    form,
    number,
    operand,
    reads,
    scalar,
    tile_op,
    word,
    writes,
)
from tl_ascend.target.conversions import ROUNDINGS

COMPARISONS = ("EQ", "NE", "GT", "GE", "LT", "LE")
SELECTIONS = ("VSEL_CMPMASK_SPR", "VSEL_TENSOR_SCALAR_MODE", "VSEL_TENSOR_TENSOR_MODE")


def _binary(name: str, scalar_api: str, doc: str, scalar_emit: Emit | None = None) -> Op:
    api, operands = name.capitalize(), "({dst}, {src0}, {src1})"
    with_scalar = form(
        scalar_api,
        scalar_emit or f"AscendC::{scalar_api}({{dst}}, {{src0}}, {{src1}}, {{n}})",
        dtypes.NUMBERS,
        pto=f"T{name.upper()}S{operands}",
        scalar="-{}" if name == "sub" else "{}",
    )
    return _with_two(name, doc, f"{api}, {scalar_api}", dtypes.NUMBERS, with_scalar)


def _with_two(
    name: str, doc: str, pages: str, types: Dtypes, *scalars: Form, choose: str = "scalar"
) -> Op:
    """`scalars`: the forms for a scalar as second source."""
    api, operands = name.capitalize(), "({dst}, {src0}, {src1})"
    call = f"AscendC::{api}({{dst}}, {{src0}}, {{src1}}, {{n}})"
    return tile_op(
        name,
        "vector",
        (writes("dst"), reads("src0"), operand("src1")),
        f"{doc} `src1` may be a tile or a scalar.",
        pages,
        form(api, call, types, pto=f"T{name.upper()}{operands}"),
        *scalars,
        choose=choose,
        scratch="divisor" if choose == "divisor" else "",
        checks=("same_size",),
        in_place=True,
    )


BINARY = (
    _binary("add", "Adds", "dst = src0 + src1."),
    _binary("sub", "Adds", "dst = src0 - src1.", RuleName("subs")),
    _binary("mul", "Muls", "dst = src0 * src1."),
    _with_two(
        "div",
        "dst = src0 / src1.",
        "Div, Muls",
        dtypes.FLOATS,
        # The vector unit divides by tiles: a scalar's reciprocal is multiplied, or it fills a block.
        form("Muls", RuleName("divs"), dtypes.FLOATS, scalar="1 / {}"),
        form("Divs", RuleName("div_by_block"), dtypes.FLOATS, calls=("Duplicate", "Div")),
        choose="divisor",
    ),
    _binary("max", "Maxs", "dst = max(src0, src1)."),
    _binary("min", "Mins", "dst = min(src0, src1)."),
)


def _unary(
    name: str,
    api: str,
    pto: str | RuleName,
    doc: str,
    types: str = "FLOATS",
    in_place: bool = True,
) -> Op:
    call = f"AscendC::{api}({{dst}}, {{src0}}, {{n}})"
    other = f"{pto}({{dst}}, {{src0}})" if isinstance(pto, str) else pto
    scratch = "apart" if isinstance(pto, RuleName) else ""
    return tile_op(
        name,
        "vector",
        (writes("dst"), reads("src0")),
        doc,
        api,
        form(api, call, getattr(dtypes, types), pto=other),
        scratch=scratch,
        checks=("same_size",),
        in_place=in_place,
    )


UNARY = (
    _unary("exp", "Exp", "TEXP", "dst = e ** src0."),
    _unary("ln", "Ln", "TLOG", "dst = natural logarithm of src0."),
    _unary("abs", "Abs", "TABS", "dst = |src0|."),
    _unary(
        "reciprocal",
        "Reciprocal",
        RuleName("reciprocal"),
        "dst = 1 / src0 (approximate).",
        in_place=False,
    ),
    _unary("sqrt", "Sqrt", "TSQRT", "dst = square root of src0."),
    _unary(
        "rsqrt", "Rsqrt", "TRSQRT", "dst = 1 / square root of src0 (approximate).", in_place=False
    ),
    _unary("relu", "Relu", "TRELU", "dst = max(src0, 0).", "RELU"),
)

_FILL = RuleName("fill")
_COMPARE = RuleName("compare")

OTHER = (
    tile_op(
        "fill",
        "vector",
        (writes("buffer"), scalar("value")),
        "Every element of the tile = value.",
        "Duplicate",
        form("Fill", "tl::ascend::Fill<{type}>({buffer}, {value}, {n})", dtypes.STORED, pto=_FILL),
        by_element=True,
    ),
    tile_op(
        "clear",
        "vector",
        (writes("buffer"),),
        "Every element of the tile = 0.",
        "Duplicate",
        form(
            "Fill", "tl::ascend::Fill<{type}>({buffer}, {type}(0), {n})", dtypes.STORED, pto=_FILL
        ),
        by_element=True,
    ),
    tile_op(
        "cast",
        "vector",
        (writes("dst"), reads("src"), word("mode", *ROUNDINGS), number("count")),
        "dst = src converted to the element type of dst, the first `count` elements. `mode` says how "
        "to round; CAST_NONE where nothing is lost.",
        "Cast",
        form("Cast", RuleName("cast")),
        checks=("count_fits", "converted_types", "conversion_mode", "conversion_scale"),
        by_element=True,
    ),
    tile_op(
        "broadcast",
        "vector",
        (writes("dst"), reads("src", lone=True), number("axis", None)),
        "Repeat src along one axis until it has the shape of dst: a column [M, 1] over N columns or a "
        "row [1, N] over M rows.",
        "Broadcast",
        form("Broadcast", RuleName("broadcast"), dtypes.REPEATED, waits=SCALAR_INSIDE),
        scratch="broadcast",
        checks=("broadcast_shape",),
    ),
    tile_op(
        "compare",
        "vector",
        (
            writes("dst", dtypes.MASK),
            reads("src0"),
            operand("src1"),
            word("mode", *COMPARISONS),
        ),
        "dst (bits, uint8) = src0 mode src1. The compared bytes must be a multiple of 256.",
        "Compare, CompareScalar",
        form(
            "Compare",
            "AscendC::Compare({dst}, {src0}, {src1}, AscendC::CMPMODE::{mode}, {n_src0})",
            dtypes.COMPARED,
            pto=_COMPARE,
        ),
        form(
            "CompareScalar",
            "AscendC::CompareScalar({dst}, {src0}, {src1}, AscendC::CMPMODE::{mode}, {n_src0})",
            dtypes.COMPARED,
            pto=_COMPARE,
        ),
        choose="scalar",
        checks=("compared_bytes", "compared_mask", "compared_mode", "compared_operand"),
        by_element=True,
    ),
    tile_op(
        "select",
        "vector",
        (
            writes("dst"),
            reads("selMask", dtypes.SELECTED, whole=True),
            reads("src0"),
            operand("src1"),
            word("selMode", *SELECTIONS),
        ),
        "dst = src0 where the bit of selMask is set, else src1. selMode: VSEL_TENSOR_SCALAR_MODE with "
        "a scalar src1, one of the two others with a tile.",
        "Select",
        form("Select", RuleName("select"), dtypes.FLOATS),
        scratch="select",
        checks=("select_mode", "selected_mask"),
        by_element=True,
    ),
)


# The unit puts the value of a row wherever an element may lie.
_OUT = Param("out", "region", Role.READ_WRITE, memories=UB, overwritten_if="clear", aligned=0)


def _reduce(kind: str) -> Op:
    api = f"reduce_{kind}"
    return Op(
        api,
        "tile",
        (
            reads("buffer"),
            _OUT,
            number("dim", -1),
            Param("clear", "flag", default=True, keyword=True),
            Param("real_shape", "list", default=None, keyword=True),
        ),
        f"out = {kind} of buffer along `dim`; with clear=False combined with what out holds. "
        "real_shape: the part of the tile that counts; its rows, filled up to 32 bytes, are as long "
        "as those of the tile. Both may also follow `dim` by position, in any order.",
        f"{UPSTREAM}/reduce_ascend.py; CANN Reduce{kind.capitalize()}",
        "reduce",
        (form(api, RuleName("reduce"), dtypes.FLOATS),),
        scratch="reduce",
        checks=("reduce_axis", "reduce_out", "reduce_rows"),
        vararg="args",
    )


REDUCE = (
    _reduce("sum"),
    _reduce("max"),
    _reduce("min"),
    Op(
        "reduce",
        "tile",
        (
            reads("buffer"),
            _OUT,
            word("reduce_type", "reduce_sum", "reduce_max", "reduce_min"),
            number("dim"),
            Param("real_shape", "list", default=None),
            Param("clear", "flag", default=True),
        ),
        "T.reduce_sum, T.reduce_max or T.reduce_min, by name.",
        f"{UPSTREAM}/reduce_ascend.py",
        "language",
    ),
)

ROWS = (*BINARY, *UNARY, *OTHER, *REDUCE)
