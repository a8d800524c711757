"""Operations on the bits of integers."""

from __future__ import annotations

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import Op, RuleName, Unsupported
from tl_ascend.ops.tiles import form, operand, reads, scalar, tile_op, writes

_NO_SCALAR = Unsupported("the vector unit has no such operation with a scalar, nor has upstream")


def _pair(name: str, api: str, doc: str) -> Op:
    return tile_op(
        name,
        "bitwise",
        (writes("dst"), reads("src0"), operand("src1")),
        f"{doc} Both sources are tiles.",
        api,
        form(api, RuleName("bitwise"), dtypes.WORDS),
        form(f"{name}s", _NO_SCALAR),
        choose="scalar",
        checks=("same_size", "tile_operand", "word_bits"),
    )


def _shift(name: str, api: str, pto: str, doc: str) -> Op:
    call = f"AscendC::{api}({{dst}}, {{src0}}, {{scalarValue}}, {{n}})"
    return tile_op(
        name,
        "bitwise",
        (writes("dst"), reads("src0"), scalar("scalarValue")),
        doc,
        api,
        form(api, call, dtypes.SHIFTED, pto=f"{pto}({{dst}}, {{src0}}, {{scalarValue}})"),
        checks=("same_size", "word_bits"),
    )


ROWS = (
    _pair("bitwise_and", "And", "dst = src0 & src1."),
    _pair("bitwise_or", "Or", "dst = src0 | src1."),
    tile_op(
        "bitwise_xor",
        "bitwise",
        (writes("dst"), reads("src0"), reads("src1")),
        "dst = src0 ^ src1.",
        "Xor",
        form("Xor", RuleName("bitwise"), dtypes.WORDS),
        scratch="source",
        checks=("same_size", "word_bits"),
    ),
    tile_op(
        "bitwise_not",
        "bitwise",
        (writes("dst"), reads("src0")),
        "dst = ~src0.",
        "Not",
        form("Not", RuleName("bitwise"), dtypes.WORDS),
        checks=("same_size", "word_bits"),
    ),
    _shift("bitwise_lshift", "ShiftLeft", "TSHLS", "dst = src0 << scalarValue."),
    _shift(
        "bitwise_rshift",
        "ShiftRight",
        "TSHRS",
        "dst = src0 >> scalarValue; of signed types the sign is repeated.",
    ),
)
