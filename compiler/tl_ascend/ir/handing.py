"""Where a buffer can take the bytes of one that dies as it is filled: `Adds(t, a, 1.0)` may write into
`a`, where nothing asks for `a` any more."""

from __future__ import annotations

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.liveness import Life, fills
from tl_ascend.ir.nodes import Buffer, Region, TileOp
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE


def hands_on(one: Life, other: Life) -> bool:
    """True where the last call that reads one buffer is the first one for another, which it fills
    element for element, so that both may lie at one address."""
    call = one.last
    if call is not other.first or not isinstance(call, TileOp) or not TABLE[call.op].in_place:
        return False
    if one.again or one.sound[1] != other.sound[0] or one.minimal[1] != other.minimal[0]:
        return False
    a, b = one.buffer, other.buffer
    if (a.shape, a.dtype.bits) != (b.shape, b.dtype.bits):
        return False
    effect = effect_of(call)
    read, written = _of(effect.reads, a), _of(effect.writes, b)
    strange = (*_of(effect.writes, a), *_of(effect.reads, b), *_of(effect.scalars, a))
    return not strange and all(map(_whole, read)) and all(map(_whole, written))


def _of(regions: tuple[Region, ...], buffer: Buffer) -> list[Region]:
    """The regions of a buffer, or of a view of it."""
    return [region for region in regions if root(region.buffer).uid == buffer.uid]


def _whole(region: Region) -> bool:
    return region.buffer.alias_of is None and fills(region)
