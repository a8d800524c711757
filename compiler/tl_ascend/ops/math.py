"""Functions of tiles beyond arithmetic: powers, waves, activations, limits, sequences."""

from __future__ import annotations

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import Emit, Op, Param, RuleName, Values
from tl_ascend.ops.tiles import (
    SCALAR_INSIDE,
    form,
    lacking,
    number,
    reads,
    scalar,
    tile_op,
    updates,
    writes,
)


def _with_scratch(name: str, api: str, scratch: str, doc: str, pto: Emit) -> Op:
    call = f"AscendC::{api}({{dst}}, {{src}}, {{scratch}}, {{n}})"
    return tile_op(
        name,
        "math",
        (writes("dst"), reads("src")),
        f"{doc} dst and src must not overlap.",
        api,
        form(api, call, dtypes.FLOATS, pto=pto),
        scratch=scratch,
        checks=("same_size",),
    )


def _clamp(name: str, api: str, limits: tuple[Param, ...], doc: str) -> Op:
    given = ", ".join(f"{{{limit.name}}}" for limit in limits)
    call = (
        f"tl::ascend::{api}<{{type_buffer}}>({{out}}, {{buffer}}, {{scratch}}, {given}, {{count}})"
    )
    return tile_op(
        name,
        "math",
        (writes("out"), reads("buffer"), *limits, number("count")),
        f"{doc} count: number of elements.",
        "Mins, Maxs",
        form(api, call, dtypes.NUMBERS, pto=RuleName("clamp")),
        scratch="source",
        checks=("count_fits",),
        by_element=True,
    )


ROWS = (
    tile_op(
        "leaky_relu",
        "math",
        (writes("dst"), reads("src0"), scalar("scalar_value")),
        "dst = src0 where that is positive, else src0 * scalar_value.",
        "LeakyRelu",
        form(
            "LeakyRelu",
            "AscendC::LeakyRelu({dst}, {src0}, {scalar_value}, {n})",
            dtypes.FLOATS,
            pto="TLRELU({dst}, {src0}, {scalar_value})",
        ),
        checks=("same_size",),
    ),
    tile_op(
        "axpy",
        "math",
        (updates("dst", dtypes.FLOATS), reads("src0"), scalar("scalar_value")),
        "dst = dst + scalar_value * src0.",
        "Axpy",
        form(
            "Axpy",
            "AscendC::Axpy({dst}, {src0}, {scalar_value}, {n})",
            dtypes.FLOATS,
            pto=RuleName("axpy"),
        ),
        checks=("same_size",),
    ),
    tile_op(
        "mul_add_dst",
        "math",
        (updates("dst"), reads("src0"), reads("src1")),
        "dst = src0 * src1 + dst.",
        "MulAddDst",
        form(
            "MulAddDst",
            "AscendC::MulAddDst({dst}, {src0}, {src1}, {n})",
            dtypes.FLOATS,
            pto=RuleName("mul_add_dst"),
            mixes=True,
        ),
        scratch="copy",
        checks=("same_size",),
    ),
    tile_op(
        "pow",
        "math",
        (writes("dst"), reads("src0", spoilt_on=("pto",), values=Values.POSITIVE), reads("src1")),
        "dst = src0 ** src1. dst must not overlap with a source. On route pto floats in src0 must not "
        "be negative, since it is e ** (src1 * ln src0) there; whole numbers are multiplied one by one.",
        "Power",
        form(
            "Power",
            "AscendC::Power({dst}, {src0}, {src1}, {scratch}, {n})",
            dtypes.POWERS,
            pto=RuleName("pow"),
        ),
        scratch="power",
        checks=("same_size", "spoilt_operands"),
    ),
    *lacking(
        "pto",
        _with_scratch("sin", "Sin", "wave", "dst = sine of src.", RuleName("wave")),
        _with_scratch("cos", "Cos", "wave", "dst = cosine of src.", RuleName("wave")),
    ),
    tile_op(
        "sigmoid",
        "math",
        (writes("dst"), reads("src", spoilt_on=("pto",))),
        "dst = 1 / (1 + e ** -src). dst and src must not overlap.",
        "Sigmoid",
        form(
            "Sigmoid",
            "AscendC::Sigmoid({dst}, {src}, {scratch}, {n})",
            dtypes.FLOATS,
            pto=RuleName("sigmoid"),
        ),
        scratch="source",
        checks=("same_size", "spoilt_operands"),
    ),
    tile_op(
        "silu",
        "math",
        (writes("dst"), reads("src")),
        "dst = src / (1 + e ** -src). dst and src must not overlap.",
        "Silu",
        form("Silu", "AscendC::Silu({dst}, {src}, {n})", dtypes.FLOATS, pto=RuleName("silu")),
        scratch="copy",
        checks=("same_size",),
    ),
    tile_op(
        "round",
        "math",
        (writes("out"), reads("buffer"), number("count")),
        "out = buffer rounded to the nearest integer. count: number of elements.",
        "Round",
        form(
            "Round",
            "AscendC::Round({out}, {buffer}, {scratch}, {count})",
            dtypes.FLOATS,
            pto=RuleName("round"),
        ),
        scratch="target",
        checks=("count_fits",),
        by_element=True,
    ),
    _clamp(
        "clamp_max",
        "ClampMax",
        (scalar("scalar_value"),),
        "out = min(buffer, scalar_value).",
    ),
    _clamp(
        "clamp_min",
        "ClampMin",
        (scalar("scalar_value"),),
        "out = max(buffer, scalar_value).",
    ),
    _clamp(
        "clamp",
        "Clamp",
        (scalar("min_scalar"), scalar("max_scalar")),
        "out = buffer, not below min_scalar and not above max_scalar.",
    ),
    tile_op(
        "createvecindex",
        "math",
        (writes("dst", whole=True), scalar("firstValue")),
        "dst = firstValue, firstValue + 1, and so on. Route pto takes uint16 and uint32, too.",
        "CreateVecIndex",
        form(
            "CreateVecIndex",
            "AscendC::CreateVecIndex<{type}>({dst}, {firstValue}, {n})",
            dtypes.NUMBERS,
            pto=RuleName("sequence"),
            waits=SCALAR_INSIDE,
        ),
    ),
    tile_op(
        "arith_progression",
        "math",
        (
            writes("buffer", whole=True),
            scalar("first_value"),
            scalar("diff_value"),
            number("count"),
        ),
        "buffer = first_value, first_value + diff_value, and so on, `count` elements.",
        "Arange",
        form(
            "ArithProgression",
            "tl::ascend::ArithProgression<{type}>({buffer}, {first_value}, {diff_value}, {count})",
            dtypes.NUMBERS,
            pto=RuleName("sequence"),
            waits=SCALAR_INSIDE,
        ),
        checks=("count_fits", "progression_step"),
    ),
    tile_op(
        "transpose",
        "math",
        (writes("dst", whole=True), reads("src", whole=True)),
        "dst = src with rows and columns exchanged. 16-bit tiles are turned by squares of 16 x 16; "
        "other types and remainders element by element, which is slow.",
        "TransDataTo5HD",
        form("transpose", RuleName("transpose"), dtypes.STORED),
        scratch="squares",
        checks=("transposed_shape",),
    ),
)
