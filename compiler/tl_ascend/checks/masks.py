"""Masks of comparisons and selections: one bit for each element, whatever type the tile of bits has."""

from __future__ import annotations

from tl_ascend.checks.causes import resized, retyped
from tl_ascend.checks.context import Call, CheckContext, shape_text, size
from tl_ascend.checks.operands import room_of
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import elements, root
from tl_ascend.ir.text import show_region

# CANN Compare: float16 and float32 in every mode, int32 in EQ only.
ONLY_EQUAL = ("A2", "A3")
# The other mode takes the same few bits in every repeat.
_BIT_FOR_EACH = ("VSEL_TENSOR_SCALAR_MODE", "VSEL_TENSOR_TENSOR_MODE")


def compared_mask(call: Call, context: CheckContext) -> None:
    """A comparison writes a bit for each element of its first source."""
    _holds_bits(call, "dst", "src0", "writes", context)


def compared_operand(call: Call, context: CheckContext) -> None:
    """A second tile is read for as many elements as the first has."""
    first, second = call.region("src0"), call.region("src1")
    wanted, have = size(first), size(second)
    if first is None or second is None or wanted is None or have is None or have >= wanted:
        return
    context.report.add(
        "operand-size",
        second.span,
        f"{show_region(second)} has {have} elements, {shape_text(second.extents)}, and "
        f"{show_region(first)}, which it is compared with, {wanted}, {shape_text(first.extents)}",
        related=(Related(first.span, f"{wanted} elements"),),
        causes=(resized(second, first.extents), resized(first, second.extents)),
    )


def compared_mode(call: Call, context: CheckContext) -> None:
    """Of int32 the unit of A2 and A3 compares equality, whatever mode is asked for."""
    tile, mode = call.region("src0"), call.arg("mode")
    if tile is None or mode in (None, "EQ") or context.platform.name not in ONLY_EQUAL:
        return
    if tile.buffer.dtype.name == "int32":
        context.report.add(
            "dtype-unsupported",
            call.span("mode"),
            f"{tile.buffer.name} holds int32, of which {context.platform.name} compares EQ only: the "
            f"device compares EQ here, too, not {mode}",
            notes=("float32 has every mode: T.tile.cast converts, exactly up to 16777216.",),
            related=(Related(tile.buffer.span, f"{tile.buffer.name}: int32"),),
            causes=retyped(tile, "float16", "float32"),
        )


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
