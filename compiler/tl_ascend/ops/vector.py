"""Vector operations on the UB: one row each, most of them one line."""

from __future__ import annotations

from types import MappingProxyType

from tl_ascend.ops.row import Emit, Form, Op, Param, Role, RuleName, Template
from tl_ascend.target.hardware import Core, Memory, Pipe

_UB = (Memory.UB,)
_TILE = "tile-ai/tilelang-ascend 95acbd7f, tilelang/language/ascend_tile.py; CANN "


def _form(name: str, emit: Emit) -> Form:
    return Form(name, Pipe.V, Core.VECTOR, MappingProxyType({"ascendc": emit}))


def _read(name: str) -> Param:
    return Param(name, "region", Role.READ, memories=_UB)


def _write(name: str) -> Param:
    return Param(name, "region", Role.WRITE, memories=_UB)


def _binary(name: str, api: str, scalar: Emit, scalar_api: str, doc: str) -> Op:
    src1 = Param("src1", "operand", Role.READ, memories=_UB)
    forms = (
        _form(api, Template(f"AscendC::{api}({{dst}}, {{src0}}, {{src1}}, {{n}})")),
        _form(scalar_api, scalar),
    )
    return Op(
        f"tile.{name}",
        "tile",
        (_write("dst"), _read("src0"), src1),
        doc,
        f"{_TILE}{api}, {scalar_api}",
        "vector",
        forms,
        choose="scalar",
        checks=("same_size",),
    )


def _scalar(api: str) -> Template:
    return Template(f"AscendC::{api}({{dst}}, {{src0}}, {{src1}}, {{n}})")


def _unary(name: str, api: str, doc: str) -> Op:
    emit = Template(f"AscendC::{api}({{dst}}, {{src}}, {{n}})")
    return Op(
        f"tile.{name}",
        "tile",
        (_write("dst"), _read("src")),
        doc,
        f"{_TILE}{api}",
        "vector",
        (_form(api, emit),),
        checks=("same_size",),
    )


_SCALAR_NOTE = "`src1` may be a tile or a scalar."

BINARY = (
    _binary("add", "Add", _scalar("Adds"), "Adds", f"dst = src0 + src1. {_SCALAR_NOTE}"),
    _binary("sub", "Sub", RuleName("subs"), "Adds", f"dst = src0 - src1. {_SCALAR_NOTE}"),
    _binary("mul", "Mul", _scalar("Muls"), "Muls", f"dst = src0 * src1. {_SCALAR_NOTE}"),
    _binary("div", "Div", RuleName("divs"), "Muls", f"dst = src0 / src1. {_SCALAR_NOTE}"),
    _binary("max", "Max", _scalar("Maxs"), "Maxs", f"dst = max(src0, src1). {_SCALAR_NOTE}"),
    _binary("min", "Min", _scalar("Mins"), "Mins", f"dst = min(src0, src1). {_SCALAR_NOTE}"),
)

UNARY = (
    _unary("exp", "Exp", "dst = e ** src."),
    _unary("ln", "Ln", "dst = natural logarithm of src."),
    _unary("abs", "Abs", "dst = |src|."),
    _unary("reciprocal", "Reciprocal", "dst = 1 / src (approximate)."),
    _unary("sqrt", "Sqrt", "dst = square root of src."),
    _unary("rsqrt", "Rsqrt", "dst = 1 / square root of src (approximate)."),
    _unary("relu", "Relu", "dst = max(src, 0)."),
)

OTHER = (
    Op(
        "tile.fill",
        "tile",
        (_write("buffer"), Param("value", "scalar")),
        "Every element of the tile = value.",
        _TILE + "Duplicate",
        "vector",
        (_form("Fill", Template("tl::ascend::Fill<{type}>({buffer}, {value}, {n})")),),
    ),
    Op(
        "tile.clear",
        "tile",
        (_write("buffer"),),
        "Every element of the tile = 0.",
        _TILE + "Duplicate",
        "vector",
        (_form("Fill", Template("tl::ascend::Fill<{type}>({buffer}, {type}(0), {n})")),),
    ),
    Op(
        "tile.cast",
        "tile",
        (
            _write("dst"),
            _read("src"),
            Param("mode", "text"),
            Param("count", "scalar"),
        ),
        "dst = src converted to the element type of dst. mode: CAST_NONE, CAST_RINT, CAST_FLOOR, "
        "CAST_CEIL, CAST_ROUND, CAST_TRUNC or CAST_ODD. count: number of elements.",
        _TILE + "Cast",
        "vector",
        (_form("Cast", RuleName("cast")),),
        checks=("cast_mode",),
    ),
    Op(
        "tile.axpy",
        "tile",
        (
            Param("dst", "region", Role.READ_WRITE, memories=_UB),
            _read("src"),
            Param("scalar", "scalar"),
        ),
        "dst = dst + scalar * src.",
        _TILE + "Axpy",
        "vector",
        (_form("Axpy", Template("AscendC::Axpy({dst}, {src}, {scalar}, {n})")),),
        checks=("same_size",),
    ),
    Op(
        "tile.broadcast",
        "tile",
        (_write("dst"), _read("src"), Param("axis", "int", default=None)),
        "Repeat src along one axis until it has the shape of dst: a column [M, 1] over N columns or a "
        "row [1, N] over M rows.",
        _TILE + "Broadcast",
        "vector",
        (_form("Broadcast", RuleName("broadcast")),),
        scratch="broadcast",
        checks=("broadcast_shape",),
    ),
    Op(
        "tile.compare",
        "tile",
        (
            _write("dst"),
            _read("src0"),
            Param("src1", "operand", Role.READ, memories=_UB),
            Param("mode", "text"),
        ),
        "dst (bits, uint8) = src0 mode src1. mode: EQ, NE, GT, GE, LT or LE. The compared bytes must "
        "be a multiple of 256.",
        _TILE + "Compare, CompareScalar",
        "vector",
        (
            _form(
                "Compare",
                Template(
                    "AscendC::Compare({dst}, {src0}, {src1}, AscendC::CMPMODE::{mode}, {n_src0})"
                ),
            ),
            _form(
                "CompareScalar",
                Template(
                    "AscendC::CompareScalar({dst}, {src0}, {src1}, AscendC::CMPMODE::{mode}, {n_src0})"
                ),
            ),
        ),
        choose="scalar",
    ),
    Op(
        "tile.select",
        "tile",
        (
            _write("dst"),
            Param("mask", "region", Role.READ, memories=_UB),
            _read("src0"),
            Param("src1", "operand", Role.READ, memories=_UB),
            Param("selMode", "text"),
        ),
        "dst = src0 where the mask bit is set, else src1. selMode: VSEL_CMPMASK_SPR, "
        "VSEL_TENSOR_SCALAR_MODE or VSEL_TENSOR_TENSOR_MODE.",
        _TILE + "Select",
        "vector",
        (_form("Select", RuleName("select")),),
    ),
)


def _reduce(kind: str) -> Op:
    return Op(
        f"reduce_{kind}",
        "tile",
        (
            _read("buffer"),
            Param("out", "region", Role.READ_WRITE, memories=_UB, overwritten_if="clear"),
            Param("dim", "int", default=-1),
            Param("clear", "flag", default=True),
            Param("real_shape", "list", default=None),
        ),
        f"out = {kind} of buffer along `dim`; with clear=False combined with what out holds. "
        "real_shape: the part of the tile that counts.",
        "tile-ai/tilelang-ascend 95acbd7f, tilelang/language/reduce.py; CANN Reduce"
        + kind.capitalize(),
        "reduce",
        (_form(f"reduce_{kind}", RuleName("reduce")),),
        scratch="source",
        checks=("reduce_axis",),
    )


REDUCE = (_reduce("sum"), _reduce("max"), _reduce("min"))

ROWS = (*BINARY, *UNARY, *OTHER, *REDUCE)
