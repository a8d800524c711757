"""Transfers to and from other processing elements. Their templates have a header of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.rules import Call
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.pto.rules import rule
from tl_ascend.ir.addresses import block_elements
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import round_up
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto

HEADER = "tl_templates/pto/remote.h"


@rule("remote")
def remote(emission: Pto, call: Call) -> None:
    """Tensors by pointer, tiles by address and room; then the numbers."""
    check_types(emission, call)
    emission.includes.add(HEADER)
    given: list[str] = []
    passed: list[str] = []
    for param in call.row.params:
        arg = call.arg(param.name)
        if not isinstance(arg, Region):
            passed.append(emission.values.index(arg))
        elif emission.memory(arg) is Memory.GM:
            given.insert(0, emission.type(arg.buffer))
            passed.append(emission.pointer(arg))
        else:
            given.append(str(_room(emission, call, arg)))
            passed.append(emission.values.index(emission.tiles.address(arg)))
    kind = ", ".join(dict.fromkeys(given))
    emission.call(f"tl::ascend_pto::{call.form.name}<{kind}>", *passed)


def _room(emission: Pto, call: Call, tile: Region) -> int:
    """Elements of whole blocks that hold what moves; all of the tile where that is not known."""
    count = call.arg("nelems")
    if isinstance(count, int):
        return round_up(max(int(count), 1), block_elements(tile.buffer.dtype))
    return emission.tiles.room(tile)
