"""Operations on bits. The vector unit knows them for 16-bit words only; bits do not care how wide
their elements are, so tiles of other integers are written as words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc import templates
from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.common.rules import Call
from tl_ascend.backends.common.views import require_contiguous
from tl_ascend.backends.common.words import WORD, words_of
from tl_ascend.ir.nodes import Region
from tl_ascend.ops.row import Template

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission


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
    words = words_of(call, tiles)
    emission.call(
        f"AscendC::{call.form.name}",
        *(f"{emission.pointer(tile)}.ReinterpretCast<uint16_t>()" for tile in tiles),
        *scratch,
        emission.values.index(words),
    )
