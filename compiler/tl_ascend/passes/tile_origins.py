"""Elements that the cube core needs of a tile in the UB, read where the tile came from.

The scalar unit of the cube core reads GM, not the UB. A tile that one copy alone fills, whole, from a
tensor that nothing in the kernel writes, holds the elements of that tensor wherever the copy was made
before: in the same block or in one around.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tl_ascend.ir.affine import same
from tl_ascend.ir.effects import effect_of, form_of
from tl_ascend.ir.expr import Load, free_vars, loads
from tl_ascend.ir.fold import binary
from tl_ascend.ir.geometry import transfer
from tl_ascend.ir.liveness import fills
from tl_ascend.ir.nodes import Alloc, Buffer, Kernel, Region, Stmt, TileOp, walk_stmts
from tl_ascend.ir.rewrite import Rewriter
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Memory

Origins = Mapping[int, Region]  # by tile, what it holds


def origin_of(stmt: Stmt, kernel: Kernel) -> dict[int, Region]:
    """The tile that a copy fills for good, and what it holds from there on."""
    form = form_of(stmt) if isinstance(stmt, TileOp) else None
    if form is None or form.memories != (Memory.GM, Memory.UB) or not isinstance(stmt, TileOp):
        return {}
    source, target = stmt.args[:2]
    if not isinstance(source, Region) or not isinstance(target, Region):
        return {}
    given, tile = source.buffer, target.buffer
    plain = given.alias_of is None and tile.alias_of is None and given.dtype is tile.dtype
    if not plain or not fills(target) or not _alike(source, tile) or not _steady(source, kernel):
        return {}
    return {tile.uid: source} if _writers(kernel, tile) == 1 and not _writers(kernel, given) else {}


def _alike(source: Region, tile: Buffer) -> bool:
    """True where each dimension of a tile is one of what it is filled with, and none is cut off."""
    if len(source.extents) != source.buffer.rank or source.buffer.rank < len(tile.shape):
        return False
    lead = len(source.extents) - len(tile.shape)
    wanted = (*(1,) * lead, *tile.shape)
    if not all(same(a, b) is True for a, b in zip(source.extents, wanted, strict=True)):
        return False
    moved = transfer(source)
    pairs = ((moved.rows, moved.valid_rows), (moved.columns, moved.valid_columns))
    return all(same(whole, valid) is True for whole, valid in pairs)


def _steady(source: Region, kernel: Kernel) -> bool:
    """True where its place is the same for both vector cores, and does not change."""
    core = None if kernel.launch is None else kernel.launch.subblock
    return not any(core in free_vars(start) or loads(start) for start in source.starts)


def _writers(kernel: Kernel, buffer: Buffer) -> int:
    """How many statements write to a buffer; views of it count twice."""
    count = 0
    for stmt in walk_stmts(kernel.body):
        count += any(root(region.buffer) is buffer for region in effect_of(stmt).writes)
        if isinstance(stmt, Alloc) and stmt.buffer.alias_of is not None:
            count += 2 * (root(stmt.buffer) is buffer)
    return count


class FromOrigin(Rewriter):
    """Elements of tiles as elements of what they hold."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins

    def load(self, load: Load) -> Any:
        indices = tuple(map(self.expr, load.indices))
        source = self._origins.get(load.buffer.uid)
        if source is None:
            return Load(load.buffer, indices)
        lead = len(source.starts) - len(indices)
        moved = (
            binary("+", start, index)
            for start, index in zip(source.starts, (*(0,) * lead, *indices), strict=True)
        )
        return Load(source.buffer, tuple(moved))
