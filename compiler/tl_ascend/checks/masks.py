"""Masks of comparisons and selections: one bit for each element, whatever type the tile of bits has."""

from __future__ import annotations

from tl_ascend.checks.causes import resized
from tl_ascend.checks.context import Call, CheckContext, size
from tl_ascend.checks.operands import room_of
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import elements, root
from tl_ascend.ir.text import show_region

# The other mode takes the same few bits in every repeat.
_BIT_FOR_EACH = ("VSEL_TENSOR_SCALAR_MODE", "VSEL_TENSOR_TENSOR_MODE")


def compared_mask(call: Call, context: CheckContext) -> None:
    """A comparison writes a bit for each element of its first source."""
    _holds_bits(call, "dst", "src0", "writes", context)


def selected_mask(call: Call, context: CheckContext) -> None:
    """A selection reads a bit for each element of its destination."""
    if call.arg("selMode") in _BIT_FOR_EACH:
        _holds_bits(call, "selMask", "dst", "reads", context)


def _holds_bits(call: Call, mask: str, tile: str, verb: str, context: CheckContext) -> None:
    bits, counted = call.region(mask), call.region(tile)
    wanted = size(counted)
    room = None if bits is None else _bytes_of(bits)
    if bits is None or counted is None or wanted is None or room is None or wanted <= room * 8:
        return
    kind = bits.buffer.dtype
    needed = -(-wanted // 8)
    context.report.add(
        "operand-size",
        bits.span,
        f"{call.name} {verb} {needed} bytes of {bits.buffer.name}, one bit for each of the {wanted} "
        f"elements of {show_region(counted)}; it has {room} up to its end",
        notes=("What lies behind the tile in the UB is taken with it.",),
        related=(Related(bits.buffer.span, f"{bits.buffer.name}: {kind}, {room} bytes"),),
        causes=resized(bits, (-(-wanted // kind.bits),)),
    )


def _bytes_of(mask: Region) -> int | None:
    """Bytes from the start of a tile to the end of its buffer; all of the buffer where the start is
    not known or the tile is a view, which may begin anywhere in it."""
    buffer = root(mask.buffer)
    room = room_of(mask) if buffer is mask.buffer else None
    if room is None:
        room = elements(buffer.shape)
    return None if room is None else room * buffer.dtype.bits // 8
