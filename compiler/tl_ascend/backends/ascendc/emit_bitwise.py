"""Operations on bits. The vector unit knows them for 16-bit words only; bits do not care how wide
their elements are, so tiles of other integers are written as words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc import templates
from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.common.operands import count
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.views import require_contiguous
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Region
from tl_ascend.ops.row import Template

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission

WORD = 16


@rule("bitwise")
def bitwise(emission: Emission, call: Call) -> None:
    """Tiles, then scratch where the call takes it, then the number of words."""
    tiles = [arg for arg in call.op.args if isinstance(arg, Region)]
    scratch = [templates.scratch(emission, call)] if call.row.scratch else []
    if all(tile.buffer.dtype.bits == WORD for tile in tiles):
        names = [p.name for p in call.row.params if isinstance(call.arg(p.name), Region)]
        fields = [f"{{{name}}}" for name in names] + (["{scratch}"] if scratch else [])
        text = f"AscendC::{call.form.name}({', '.join(fields)}, {{n}})"
        templates.write(emission, call, Template(text))
        return
    for tile in tiles:
        require_contiguous(emission.kernel, tile, call.form.name)
    words = _words(call, tiles)
    emission.call(
        f"AscendC::{call.form.name}",
        *(f"{emission.pointer(tile)}.ReinterpretCast<uint16_t>()" for tile in tiles),
        *scratch,
        emission.values.index(words),
    )


def _words(call: Call, tiles: list[Region]) -> Scalar:
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
