"""Tiles that an access walks in another order than they lie: every second or fourth element, or rows
and columns exchanged. One operation brings a whole tile into order, into a temporary one."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tl_ascend.ir.affine import affine
from tl_ascend.ir.expr import Expr, Load
from tl_ascend.ir.geometry import offset
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.passes.vector_code import VectorCode

SQUARE = 16  # elements; the vector unit turns squares of 16-bit elements
REPEAT = 256  # bytes
_PATTERNS = {2: ("P0101", "P1010"), 4: ("P0001", "P0010", "P0100", "P1000")}


def rearranged(code: VectorCode, load: Load) -> Region | None:
    """A tile of the shape of the loops with the elements in their order; None where there is no
    operation for it."""
    buffer: Buffer = load.buffer
    known = all(isinstance(size, int) for size in buffer.shape)
    starts = any(isinstance(a.start, Expr) or a.start for a in code.axes)
    if not known or starts or root(buffer) is not buffer:
        return None
    if code.memory(buffer) is not Memory.UB:
        return None
    return _strided(code, load) or _transposed(code, load)


def _strided(code: VectorCode, load: Load) -> Region | None:
    """Every second or fourth element of a whole tile."""
    form = affine(offset(load.buffer, load.indices))
    steps = form.terms if form is not None else {}
    step = steps.get(code.axes[-1].var, 0)
    if form is None or step not in _PATTERNS or not 0 <= form.constant < step:
        return None
    inner = step
    for axis in reversed(code.axes):
        if steps.get(axis.var) != inner:
            return None
        inner *= axis.extent
    count = prod(load.buffer.shape)
    if len(steps) != len(code.axes) or inner != count:
        return None
    if count * load.buffer.dtype.bits // 8 % REPEAT or load.buffer.dtype.bits not in (16, 32):
        return None
    tile = code.take(load.buffer.dtype)
    code.beyond(f"{load.buffer.name} is read with the step {step}")
    code.emit("tile.gather_mask", tile, _whole(code, load.buffer), _PATTERNS[step][form.constant])
    return tile


def _transposed(code: VectorCode, load: Load) -> Region | None:
    """A whole tile of 16-bit elements, turned by squares; of others the template turns each element
    by itself, which is no better than a loop."""
    if len(code.axes) != 2 or load.indices != (code.axes[1].var, code.axes[0].var):
        return None
    turned = (code.axes[1].extent, code.axes[0].extent)
    if load.buffer.shape != turned or load.buffer.dtype.bits != 16:
        return None
    if any(extent % SQUARE for extent in turned):
        return None
    tile = code.take(load.buffer.dtype)
    code.beyond(f"{load.buffer.name} is read transposed")
    code.emit("tile.transpose", tile, _whole(code, load.buffer))
    return tile


def _whole(code: VectorCode, buffer: Buffer) -> Region:
    return Region(buffer, (0,) * buffer.rank, buffer.shape, "whole", code.store.span)
