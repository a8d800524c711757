"""Element types as Ascend C spells them, and which ones the calls take on A2 and A3.

Source of the second table: the type lists of the vendor's API pages; `INTERFACE.md` repeats them.
Rows that are not named here take what their template takes.
"""

from __future__ import annotations

from tl_ascend.backends.ascendc.rules import Call, Refusal
from tl_ascend.ir.nodes import Region
from tl_ascend.source.span import Span
from tl_ascend.target.dtypes import DType

# A tile of bool is a tile of bytes; a 4-bit type is named with its namespace, as in CANN.
_SPELLED = {"bool": "uint8_t", "int4": "AscendC::int4b_t"}
# No A2 or A3 unit knows these.
_MISSING = frozenset({"float64", "float8_e4m3", "float8_e5m2"})

_FLOATING = frozenset({"float16", "float32"})
_ARITHMETIC = _FLOATING | {"int16", "int32"}
_WORD = frozenset({"int16", "uint16"})
_STORED = frozenset(
    {"float16", "bfloat16", "float32"}
    | {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
)
_FEED = frozenset({"float16", "bfloat16", "float32", "int8"})

# Element types of the operand that decides (the first tile read, or written where none is read).
ALLOWED: dict[str, frozenset[str]] = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Max", "Min"), _ARITHMETIC),
    **dict.fromkeys(("Adds", "Muls", "Maxs", "Mins"), _ARITHMETIC),
    **dict.fromkeys(("Div", "Exp", "Ln", "Abs", "Reciprocal", "Sqrt", "Rsqrt"), _FLOATING),
    **dict.fromkeys(("LeakyRelu", "Axpy", "MulAddDst", "Select"), _FLOATING),
    **dict.fromkeys(("Sin", "Cos", "Sigmoid", "Silu", "Round"), _FLOATING),
    **dict.fromkeys(("And", "Or", "Not", "Xor"), _WORD),
    **dict.fromkeys(("ShiftLeft", "ShiftRight"), _WORD | {"int32", "uint32"}),
    **dict.fromkeys(("reduce_sum", "reduce_max", "reduce_min"), _FLOATING),
    **dict.fromkeys(("Compare", "CompareScalar"), _FLOATING | {"int32"}),
    **dict.fromkeys(("copy_l1_to_l0a", "copy_l1_to_l0b", "gemm_v0", "mma"), _FEED),
    "Relu": _FLOATING | {"int32"},
    "Broadcast": _FLOATING | {"int8", "uint8"},
    "Fill": _STORED,
}


def c_type(type: DType) -> str:
    """The C++ name of a type."""
    return _SPELLED.get(type.name, type.c_name)


def element_type(type: DType, span: Span, name: str) -> str:
    """The C++ name of the element type of a buffer. Errors: Refusal."""
    if type.name in _MISSING:
        raise Refusal(
            "dtype-unsupported", span, f"{name} holds {type}, which A2 and A3 have no unit for"
        )
    return c_type(type)


def check_type(call: Call, deciding: Region) -> None:
    """Refuse an element type that the device call does not take."""
    allowed = ALLOWED.get(call.form.name)
    kind = deciding.buffer.dtype.name
    if allowed is None or kind in allowed or (kind == "bool" and "uint8" in allowed):
        return
    raise Refusal(
        "dtype-unsupported",
        deciding.span,
        f"{call.form.name} does not take {kind}: on A2 and A3 it works on "
        f"{', '.join(sorted(allowed))}",
    )
