"""Which regions may touch the same bytes, by where their buffers lie."""

from __future__ import annotations

from dataclasses import dataclass, field

from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Load, Scalar, walk
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Buffer, Kernel, Region
from tl_ascend.ir.storage import placed_bytes, root
from tl_ascend.target.hardware import Memory


@dataclass(slots=True)
class RegionOverlaps:
    """Which regions may touch the same bytes."""

    kernel: Kernel
    _places: dict[int, tuple[Memory, int, int] | None] = field(default_factory=dict)

    def overlap(self, one: Region, other: Region) -> bool:
        a, b = root(one.buffer), root(other.buffer)
        if a.uid != b.uid:
            x, y = self._place(a), self._place(b)
            return x is not None and y is not None and _meet(x, y)
        if self.kernel.memory(a) is Memory.REGISTER:
            return False
        whole = one.buffer is not a or other.buffer is not b
        if whole or len(one.starts) != a.rank or len(other.starts) != a.rank:
            return True
        sides = zip(one.starts, one.extents, other.starts, other.extents, strict=True)
        return not any(_apart(s, m, t) or _apart(t, n, s) for s, m, t, n in sides)

    def _place(self, buffer: Buffer) -> tuple[Memory, int, int] | None:
        if buffer.uid not in self._places:
            place = self.kernel.placements.get(buffer.uid)
            size = None if place is None else placed_bytes(buffer, place)
            known = place is not None and place.address is not None and size is not None
            self._places[buffer.uid] = (
                (place.memory, place.address, place.address + size) if known else None  # type: ignore
            )
        return self._places[buffer.uid]


def _meet(one: tuple[Memory, int, int], other: tuple[Memory, int, int]) -> bool:
    return one[0] is other[0] and one[1] < other[2] and other[1] < one[2]


def _apart(low: Scalar, extent: Scalar, high: Scalar) -> bool:
    """True where a side of `extent` from `low` certainly ends before `high`."""
    if any(isinstance(node, Load) for value in (low, high) for node in walk(value)):
        return False
    gap = interval(binary("-", binary("-", high, low), extent))[0]
    return gap is not None and gap >= 0
