"""Element types as Ascend C spells them. Which ones a call takes stands in its row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.ir.nodes import Region
from tl_ascend.ops.row import Dtypes
from tl_ascend.source.span import Span
from tl_ascend.target.conversions import modes
from tl_ascend.target.dtypes import DType

if TYPE_CHECKING:
    from tl_ascend.backends.common.emission import Emission

# A tile of bool is a tile of bytes; a 4-bit type is named with its namespace, as in CANN.
_SPELLED = {"bool": "uint8_t", "int4": "AscendC::int4b_t"}
# No A2 or A3 unit knows these.
_MISSING = frozenset({"float64", "float8_e4m3", "float8_e5m2"})


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


def deciding(call: Call) -> Region:
    """The tile whose element type decides: the first one that is only read, else the first; those
    with types of their own, such as masks, do not count."""
    tiles = [
        (arg, param)
        for arg, param in zip(call.op.args, call.row.params, strict=False)
        if isinstance(arg, Region) and not param.dtypes
    ]
    if not tiles:
        return next(arg for arg in call.op.args if isinstance(arg, Region))
    return next((arg for arg, param in tiles if not param.role.writes), tiles[0][0])


def check_types(emission: Emission, call: Call) -> None:
    """Refuse element types that the device call does not take, and tiles that differ where it
    deduces one type from all."""
    platform, first = emission.platform.name, deciding(call)
    _check(call, first, call.form.dtypes, platform, f"{call.form.name} works on")
    for arg, param in zip(call.op.args, call.row.params, strict=False):
        if not isinstance(arg, Region):
            continue
        if param.dtypes:
            _check(call, arg, param.dtypes, platform, f"{param.name} of T.{call.row.name} takes")
            if param.role.reads and param.role.writes and _narrower(arg, first):
                same_type(call, arg, first)
        elif call.form.dtypes and call.form.memories is None and arg is not first:
            same_type(call, arg, first)


def _narrower(total: Region, first: Region) -> bool:
    """A sum of floats may be wider than what is added to it, not narrower."""
    a, b = total.buffer.dtype, first.buffer.dtype
    return a.kind == b.kind == "float" and a.bits < b.bits


def _check(call: Call, tile: Region, table: Dtypes, platform: str, who: str) -> None:
    kind, allowed = tile.buffer.dtype.name, table.get(platform)
    if allowed is None or kind in allowed or (kind == "bool" and "uint8" in allowed):
        return
    raise Refusal(
        "dtype-unsupported",
        tile.span,
        f"{tile.buffer.name} holds {kind}: on {platform} {who} {', '.join(sorted(allowed))}",
    )


def same_type(call: Call, tile: Region, first: Region) -> None:
    """Refuse a tile of another element type."""
    if tile.buffer.dtype != first.buffer.dtype:
        raise Refusal(
            "dtype-unsupported",
            tile.span,
            f"{tile.buffer.name} holds {tile.buffer.dtype} and {first.buffer.name} "
            f"{first.buffer.dtype}: {call.form.name} does not convert",
            "T.tile.cast converts a tile.",
        )


def check_conversion(emission: Emission, source: Region, target: Region, mode: str = "") -> None:
    """Refuse what the vector unit does not convert, or not with this mode. Errors: Refusal."""
    kinds = source.buffer.dtype, target.buffer.dtype
    taken = modes(*kinds, emission.rules.route)
    text = f"the vector unit has no way from {kinds[0]} to {kinds[1]}"
    if not taken:
        raise Refusal("dtype-unsupported", source.span, text)
    if mode and mode not in taken:
        raise Refusal("cast-mode", source.span, f"{text} with {mode}")
