"""Tiles that share bytes because T.annotate_address says so: what they touch, in bytes of the memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tl_ascend.checks.sync.events import Box
from tl_ascend.ir.nodes import Buffer, Kernel
from tl_ascend.ir.storage import buffers, fractal_bytes, placed_bytes
from tl_ascend.target.hardware import Memory


@dataclass(frozen=True, slots=True)
class Shared:
    """A tile in a group of such: `uid` stands for the group, and is none of a buffer; `rows`: it lies
    row by row, else only all of it is known."""

    uid: int
    begin: int
    size: int
    shape: tuple[int, ...]
    bytes: int
    rows: bool

    def run(self, box: Box) -> Box | None:
        """Bytes that a box of elements takes in any case: its first run."""
        whole = all((a, b) == (0, n) for (a, b), n in zip(box, self.shape, strict=True))
        if whole:
            return ((self.begin, self.begin + self.size),)
        if not self.rows:
            return None
        first, length, stride, joined = 0, 1, 1, True
        for (low, high), extent in zip(box[::-1], self.shape[::-1], strict=True):
            first += low * stride
            if joined:
                length = (high - low) * stride
            joined = joined and (low, high) == (0, extent)
            stride *= extent
        begin = self.begin + first * self.bytes
        return ((begin, begin + length * self.bytes),)


def shared_tiles(kernel: Kernel) -> dict[int, Shared]:
    """By the buffers. Planned addresses are not among them: another compiler may plan others."""
    found: dict[int, Shared] = {}
    placed = sorted(_placed(kernel), key=lambda one: (one[0].value, one[1].begin))
    last: tuple[Memory, int, int] | None = None  # memory, where it ends, group
    groups: dict[int, int] = {}
    for memory, tile, buffer in placed:
        joins = last is not None and last[0] is memory and tile.begin < last[1]
        end, group = tile.begin + tile.size, tile.uid
        if joins and last is not None:
            end, group = max(end, last[1]), last[2]
        last = memory, end, group
        groups[buffer.uid] = group
        found[buffer.uid] = Shared(group, tile.begin, tile.size, tile.shape, tile.bytes, tile.rows)
    several = [group for group in groups.values() if list(groups.values()).count(group) > 1]
    return {uid: tile for uid, tile in found.items() if tile.uid in several}


def _placed(kernel: Kernel) -> Iterator[tuple[Memory, Shared, Buffer]]:
    """The tiles with annotated addresses whose bytes are known."""
    for buffer in buffers(kernel):
        place = kernel.placements.get(buffer.uid)
        if place is None or not place.fixed or place.address is None or buffer.dtype.bits % 8:
            continue
        size, rows = placed_bytes(buffer, place), place.memory is Memory.UB
        if not size or tuple(place.shape) != tuple(buffer.shape):
            continue
        if not rows and fractal_bytes(buffer, place) != size:
            continue
        shape = tuple(int(extent) for extent in place.shape)
        tile = Shared(-buffer.uid - 1, place.address, size, shape, buffer.dtype.bits // 8, rows)
        yield place.memory, tile, buffer
