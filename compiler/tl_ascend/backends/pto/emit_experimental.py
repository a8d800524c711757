"""One value for each row of a tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.operands import hidden
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.common.views import constant
from tl_ascend.backends.pto.rules import rule
from tl_ascend.backends.pto.tiles import Shape
from tl_ascend.ir.addresses import block_elements
from tl_ascend.ir.nodes import Region

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto

BLOCKS = 8


@rule("row_expand")
def row_expand(emission: Pto, call: Call) -> None:
    """With values one behind the other the instruction repeats them itself, into scratch; values that
    are repeated over a block already, it takes as they are."""
    check_types(emission, call)
    target, source, values = (call.region(name) for name in ("dst", "src0", "src1"))
    walked = emission.tiles.rows(target)
    rows = constant(walked.rows, target, "the number of its rows")
    type = target.buffer.dtype
    block = block_elements(type)
    function = "TROWEXPAND" + _kind(call)
    shape = emission.tiles.pitched(target, walked)
    to, of = emission.tiles.view(target, shape), emission.tiles.view(source, shape)
    if not isinstance(call.arg("tmp"), Region) and call.form.name != "row_expand_mul":
        emission.call(
            function, to, of, emission.tiles.view(values, Shape(rows, block, rows, block))
        )
        return
    tmp = call.arg("tmp") if isinstance(call.arg("tmp"), Region) else hidden(call)
    room = emission.tiles.view(tmp, Shape(rows, block, rows, block), type)
    emission.call(function, to, of, emission.tiles.column(values, rows), room)


def _kind(call: Call) -> str:
    """The operation, by the name of its row."""
    words = call.row.name.removeprefix("tile.").split("_")
    return words[2].upper()


@rule("brcb")
def brcb(emission: Pto, call: Call) -> None:
    """Every value over its own block, blocks one behind the other."""
    check_types(emission, call)
    names = ("repeat_times", "dst_blk_stride", "dst_repeat_stride")
    repeats, step, stride = (call.arg(name) for name in names)
    if not isinstance(repeats, int) or (step, stride) != (1, BLOCKS):
        text = "route pto repeats values over blocks one behind the other: strides of 1 and 8"
        raise Refusal("not-lowered", call.op.span, text)
    target, source = call.region("dst"), call.region("src")
    rows, block = BLOCKS * repeats, block_elements(target.buffer.dtype)
    to = emission.tiles.view(target, Shape(rows, block, rows, block))
    emission.call("TROWEXPAND", to, emission.tiles.column(source, rows))
