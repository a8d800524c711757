"""Tiles that an access walks in another order than they lie: every second or fourth element, or rows
and columns exchanged. One operation brings a whole tile into order, into a temporary one. Whatever
else is read at computed places of 16 or 32 bits is collected row by row, by offsets."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tl_ascend.ir.affine import Affine, affine
from tl_ascend.ir.expr import Expr, Load, Scalar, free_vars
from tl_ascend.ir.fold import binary
from tl_ascend.ir.geometry import offset
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show
from tl_ascend.ops.dtypes import WORDS16_32
from tl_ascend.passes.vector_index import NotVector, sum_of
from tl_ascend.passes.vector_tiles import whole
from tl_ascend.target.dtypes import BY_NAME, INT32
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.passes.vector_code import VectorCode

SQUARE = 16  # elements; the vector unit turns squares of 16-bit elements
REPEAT = 256  # bytes
UINT32 = BY_NAME["uint32"]
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
    code.emit("tile.transpose", tile, _whole(code, load.buffer))
    return tile


def gathered(code: VectorCode, load: Load) -> Region | None:
    """One row of elements of a tile, wherever they lie; None where the unit cannot collect them."""
    buffer = load.buffer
    if len(code.axes) != 1 or code.memory(buffer) is not Memory.UB or root(buffer) is not buffer:
        return None
    if buffer.dtype.name not in WORDS16_32["A3"] or buffer.uid == code.store.buffer.uid:
        return None
    place = affine(offset(buffer, load.indices))
    if place is None:
        return None
    offsets, base = _by_step(code, place, buffer.dtype.bytes) or _by_value(
        code, place, buffer.dtype.bytes
    )
    tile = code.take(buffer.dtype)
    code.emit(
        "tile.gather", tile, _whole(code, buffer), code.temporaries.view(offsets, UINT32), base
    )
    code.release(offsets, tile)
    return tile


def _by_step(code: VectorCode, place: Affine, size: int) -> tuple[Region, Scalar] | None:
    """Bytes from one element to the next, and where the first of the buffer lies that is read."""
    (axis,) = code.axes
    step = place.terms.get(axis.var, 0)
    others = {atom: factor for atom, factor in place.terms.items() if atom is not axis.var}
    first = affine(axis.start)
    if first is None or any(axis.var in free_vars(atom) for atom in others):
        return None
    lowest = Affine(place.constant, others).plus(first, step)
    back = -step * (axis.extent - 1) if step < 0 else 0
    offsets = code.numbers(INT32, step * size, back * size)
    return offsets, sum_of(lowest.plus(Affine(-back, {})).times(size))


def _by_value(code: VectorCode, place: Affine, size: int) -> tuple[Region, Scalar]:
    """Bytes from the begin of the buffer, computed for each element. Errors: NotVector."""
    value = sum_of(place)
    if code.type_of(value) not in (None, INT32):
        raise NotVector(f"the index {show(value)} is no int32")
    return code.operand(binary("*", value, size), INT32), 0


def _whole(code: VectorCode, buffer: Buffer) -> Region:
    return whole(buffer, code.store.span)
