"""Tiles as 16-bit words, which are all that the vector unit knows bits of."""

from __future__ import annotations

from tl_ascend.backends.common.operands import count
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Region

WORD = 16


def words_of(call: Call, tiles: list[Region]) -> Scalar:
    """The number of words of tiles that are not made of them. Errors: Refusal."""
    kind = tiles[0].buffer.dtype
    for tile in tiles:
        if tile.buffer.dtype.kind == "float" or tile.buffer.dtype.bits != kind.bits:
            raise Refusal(
                "dtype-unsupported",
                tile.span,
                f"{tile.buffer.name} holds {tile.buffer.dtype}: {call.form.name} works on the bits "
                "of integers of one width",
            )
    bits = binary("*", count(call), kind.bits)
    if isinstance(bits, int) and bits % WORD:
        text = f"{call.form.name} works on 16-bit words, and these tiles end within one"
        raise Refusal("not-lowered", call.op.span, text)
    return binary("//", bits, WORD)
