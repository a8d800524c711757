"""The bytes that a step certainly touches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tl_ascend.checks.sync.events import Access, Box, Event
from tl_ascend.checks.sync.values import Unknown, Values
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.geometry import transfer
from tl_ascend.ir.nodes import Kernel, Region, Stmt, TileOp, regions_of, walk_stmts
from tl_ascend.ir.storage import elements, root
from tl_ascend.target.hardware import Core, Memory

HOMES = {
    Memory.UB: Core.VECTOR,
    **dict.fromkeys((Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C), Core.CUBE),
}


class Boxes:
    """Remembers the boxes that no variable moves."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.events: dict[tuple[int, object], list[Event]] = {}  # of calls that nothing changes
        self._kept: dict[tuple[int, int], tuple[Access, ...]] = {}
        self._written = {
            root(region.buffer).uid
            for stmt in walk_stmts(kernel.body)
            for region in effect_of(stmt).writes
        }

    def of(
        self,
        stmt: Stmt,
        step: int,
        reads: Iterable[Region],
        writes: Iterable[Region],
        values: Values,
        scalar: bool,
    ) -> tuple[Access, ...]:
        """The accesses of a step. `scalar`: those of the scalar unit."""
        key = id(stmt), step
        known = self._kept.get(key)
        if known is not None:
            return known
        every = [(r, False) for r in reads] + [(r, True) for r in writes]
        added = isinstance(stmt, TileOp) and stmt.op == "tile.atomic_add"
        found = (self._access(region, write, values, scalar, added) for region, write in every)
        made = tuple(dict.fromkeys(access for access in found if access is not None))
        if fixed(region for region, _ in every):
            self._kept[key] = made
        return made

    def _access(
        self, region: Region, write: bool, values: Values, scalar: bool, added: bool
    ) -> Access | None:
        buffer = root(region.buffer)
        place = self._kernel.placements.get(buffer.uid)
        if place is None or place.memory is Memory.REGISTER:
            return None
        gm = place.memory is Memory.GM
        if gm and buffer.uid not in self._written:
            return None
        if scalar and place.memory is not Memory.UB:
            return None  # tensors are read through a cache; the cube's memories have no scalar path
        try:
            box = self._box(region, gm, values)
        except Unknown:
            return None
        return None if box is None else Access(buffer, buffer.uid, box, write, gm, added)

    def _box(self, region: Region, gm: bool, values: Values) -> Box | None:
        buffer = region.buffer
        if buffer.alias_of is not None:
            return _whole_view(region)
        if len(region.starts) != buffer.rank or len(region.extents) != buffer.rank:
            return None
        box = []
        for at, (start, extent) in enumerate(zip(region.starts, region.extents, strict=True)):
            first = start if isinstance(start, int) else values.whole(start)
            count = extent if isinstance(extent, int) else values.whole(extent)
            end = first + count
            if gm:
                end = min(end, values.whole(buffer.shape[at]))
            if end <= first or first < 0:
                return None
            box.append((first, end))
        return tuple(box)

    def partial(self, op: TileOp, values: Values) -> bool | None:
        """True where a copy moves less than the extents of its side in GM; None where only the
        device knows."""
        region = next((a for a in op.args[:2] if isinstance(a, Region) and self._in_gm(a)), None)
        if region is None:
            return False
        if len(region.starts) != region.buffer.rank:
            return None
        moved = transfer(region)
        try:
            rows = values.whole(moved.valid_rows) < values.whole(moved.rows)
            return rows or values.whole(moved.valid_columns) < values.whole(moved.columns)
        except Unknown:
            return None

    def reachable(self, stmt: Stmt, core: Core) -> bool:
        """False where a statement stands in code of a core that cannot reach its operands."""
        if core is Core.ANY or not isinstance(stmt, TileOp):
            return True
        places = (self._kernel.placements.get(root(r.buffer).uid) for r in regions_of(stmt))
        homes = {HOMES.get(place.memory, core) for place in places if place is not None}
        return homes <= {core}

    def _in_gm(self, region: Region) -> bool:
        place = self._kernel.placements.get(root(region.buffer).uid)
        return place is not None and place.memory is Memory.GM


def fixed(regions: Iterable[Region]) -> bool:
    """True where no variable moves the boxes of regions."""
    return not any(
        isinstance(value, Expr)
        for region in regions
        for value in (*region.starts, *region.extents, *region.buffer.shape)
    )


def corner(access: Access) -> Access:
    """The first element alone: all that is certain of a tile that is moved in part."""
    if access.gm:
        return access
    return replace(access, box=tuple((low, low + 1) for low, _ in access.box))


def _whole_view(region: Region) -> Box | None:
    """A view of all bytes of its buffer is the buffer."""
    base = root(region.buffer)
    bits = _bits(region.buffer.shape, region.buffer.dtype.bits)
    whole = elements(region.extents) == elements(region.buffer.shape)
    if not whole or bits is None or bits != _bits(base.shape, base.dtype.bits):
        return None
    return tuple((0, int(extent)) for extent in base.shape)


def _bits(shape: tuple[Any, ...], bits: int) -> int | None:
    count = elements(shape)
    return None if count is None else count * bits
