"""Elements of a tile collected by offsets, by blocks or by a pattern of bits."""

from __future__ import annotations

import numpy as np

from tl_ascend.simulate.call import Call
from tl_ascend.simulate.elements import Array
from tl_ascend.simulate.errors import OutOfBounds, UnwrittenMemory
from tl_ascend.simulate.memory import Box, Tile, View
from tl_ascend.simulate.registry import semantic

BLOCK = 32  # bytes
_PATTERNS = {
    "P0101": (2, 0),
    "P1010": (2, 1),
    "P0001": (4, 0),
    "P0010": (4, 1),
    "P0100": (4, 2),
    "P1000": (4, 3),
    "P1111": (1, 0),
}


def places(call: Call, name: str, count: int) -> Array:
    """Offsets or indices that a tile holds. Errors: UnwrittenMemory."""
    tile = call.read(name, count)
    if tile.poison is not None:
        raise UnwrittenMemory(f"{name} of T.{call.row.name} holds places that nothing wrote")
    return tile.values.astype(np.int64)


def picked(box: Box, at: Array) -> Tile:
    """Elements of the buffer of a tile, counted from its first one. Errors: OutOfBounds."""
    room = box.view.count - box.offset
    if at.size and (at.min() < 0 or at.max() >= room):
        worst = int(at.max()) if at.max() >= room else int(at.min())
        raise OutOfBounds(f"element {worst} of {box} is outside of {box.view.name}")
    everything = box.read_run(room)
    return everything.moved(lambda part: part[at])


@semantic("tile.gather")
def gather(call: Call) -> None:
    """Offsets count bytes."""
    source, target = call.box("src"), call.box("dst")
    count = min(target.count, call.box("src_offset").count)
    at = (places(call, "src_offset", count) + call.number("src_base_addr")) // source.kind.size
    tile = picked(source, at)
    call.write("dst", tile.values, tile.poison)


@semantic("tile.gatherb")
def gatherb(call: Call) -> None:
    """Eight blocks of 32 bytes a repeat; strides of the target count blocks."""
    source, target = call.box("src0"), call.box("dst")
    unit, repeats = BLOCK // source.kind.size, call.number("repeat_time")
    offsets = places(call, "offset", 8 * repeats) // source.kind.size
    at = offsets[:, None] + np.arange(unit)
    tile = picked(source, at)
    step, stride = call.number("dst_rep_stride"), call.number("dst_blk_stride")
    for number in range(8 * repeats):
        block = number // 8 * step + number % 8 * stride
        put_block(call, target, block * unit, tile.moved(lambda part, n=number: part[n]))


def put_block(call: Call, target: Box, at: int, tile: Tile) -> None:
    """Consecutive elements from an offset of a tile on."""
    start = target.offset + at
    flat = Box(_flat(target), (start,), (len(tile.values),))
    call.machine.note_poison(target.view.storage, tile.poison)
    flat.write(tile.values, tile.poison)


def _flat(box: Box) -> View:
    return View.of(box.view.name, box.view.storage, box.kind, (box.view.count,))


@semantic("tile.gather_mask")
def gather_mask(call: Call) -> None:
    """By a pattern of bits, or by the indices that a tile holds."""
    source = call.box("src")
    if call.is_tile("src1Pattern"):
        count = call.box("src1Pattern").count
        tile = picked(source, places(call, "src1Pattern", count))
    else:
        step, first = _PATTERNS[call.word("src1Pattern")]
        tile = source.read().flat().moved(lambda part: part[first::step])
    call.write("dst", tile.values, tile.poison)
