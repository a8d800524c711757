"""UB tiles for the vector code of `T.Parallel` loops, and calls on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tl_ascend.ir.expr import Load, Scalar, walk
from tl_ascend.ir.nodes import Block, Buffer, Region, Store, TileOp, regions_of, walk_stmts
from tl_ascend.ir.storage import bits_to_bytes, elements, root
from tl_ascend.ops.row import REQUIRED
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.vector_index import NotVector
from tl_ascend.source.span import Span
from tl_ascend.target.dtypes import FLOAT32, DType

Key: TypeAlias = "tuple[DType, tuple[int, ...], int, int]"
Mark: TypeAlias = "tuple[int, int, int, dict[Key, Region]]"


def whole(buffer: Buffer, span: Span) -> Region:
    """All of a buffer."""
    return Region(buffer, (0,) * buffer.rank, buffer.shape, "whole", span)


def require(kind: DType, allowed: frozenset[str]) -> None:
    """Errors: NotVector where an operation is none of the type."""
    if kind.name not in allowed:
        raise NotVector(f"the vector unit cannot do this with {kind}")


def free_for(target: Region, rest: Scalar) -> bool:
    """True where the rest of an expression does not read the target any more."""
    return not any(
        isinstance(node, Load) and root(node.buffer).uid == root(target.buffer).uid
        for node in walk(rest)
    )


def tile_elements(tile: Buffer) -> int:
    """How many elements a tile has; its shape is known."""
    return elements(tile.shape) or 0


def tile_bytes(tile: Buffer) -> int:
    """The size of a tile."""
    return bits_to_bytes(tile_elements(tile), tile.dtype.bits)


def tile_call(name: str, span: Span, *args: Any) -> TileOp:
    """A call of a row; arguments that are left out have their defaults."""
    params = TABLE[name].params[len(args) :]
    filled = (*args, *(None if p.default is REQUIRED else p.default for p in params))
    return TileOp(name, filled, span, (span,) * len(filled), reason="from T.Parallel")


@dataclass(slots=True)
class Temporaries:
    """UB tiles for intermediate results, used again as soon as they are free. `before`: calls that
    stand in front of the loops of one nest, for the tiles in `kept`, which all of it reads."""

    next_uid: int
    made: list[Buffer] = field(default_factory=list)
    free: list[Buffer] = field(default_factory=list)
    kept: dict[Key, Region] = field(default_factory=dict)
    before: list[TileOp] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)

    def begin(self) -> None:
        """Another nest: nothing is kept of the one before."""
        self.free = list(self.made)
        self.kept, self.before, self.taken = {}, [], set()

    def take(
        self, store: Store, shape: tuple[int, ...], kind: DType, fresh: bool = False
    ) -> Buffer:
        """A free tile. `fresh`: one that no call of the nest has used yet."""
        for tile in self.free:
            if tile.shape == shape and tile.dtype == kind:
                if not (fresh and tile.uid in self.taken):
                    self.free.remove(tile)
                    self.taken.add(tile.uid)
                    return tile
        tile = self._new(f"{store.buffer.name}_tmp_{len(self.made)}", shape, kind, store.span)
        self.made.append(tile)
        self.taken.add(tile.uid)
        return tile

    def _new(
        self, name: str, shape: tuple[int, ...], kind: DType, span: Span, base: Buffer | None = None
    ) -> Buffer:
        tile = Buffer(name, self.next_uid, shape, kind, "UB", span, base)
        self.next_uid += 1
        return tile

    def view(self, tile: Region, kind: DType) -> Region:
        """A tile as another type of the same width."""
        buffer = tile.buffer
        seen = self._new(f"{buffer.name}_{kind}", buffer.shape, kind, buffer.span, buffer)  # type: ignore[arg-type]
        return whole(seen, tile.span)

    def numbers(
        self, store: Store, extents: tuple[int, ...], kind: DType, step: int, first: int
    ) -> Region:
        """The numbers first, first + step, and so on: a tile that is kept for the nest."""
        key = (kind, extents, step, first)
        if key not in self.kept:
            number = float if kind == FLOAT32 else int
            tile = whole(self.take(store, extents, kind, fresh=True), store.span)
            self._before("tile.createvecindex", store, tile, number(0))
            if step != 1:
                self._before("tile.mul", store, tile, tile, number(step))
            if first:
                self._before("tile.add", store, tile, tile, number(first))
            self.kept[key] = tile
        return self.kept[key]

    def keep(self, name: str, shape: tuple[int, ...], kind: DType, span: Span) -> Buffer:
        """A tile that no other call of the nest uses."""
        tile = self._new(f"{name}_tmp_{len(self.made)}", shape, kind, span)
        self.made.append(tile)
        self.taken.add(tile.uid)
        self.kept[(kind, shape, tile.uid, 0)] = whole(tile, span)
        return tile

    def _before(self, name: str, store: Store, *args: Any) -> None:
        self.before.append(tile_call(name, store.span, *args))

    def release(self, region: Region | Any, keep: Region) -> None:
        """A tile is not needed any more, unless `keep` is in it."""
        if not isinstance(region, Region) or region.buffer not in self.made:
            return
        held = {tile.buffer.uid for tile in self.kept.values()}
        if region.buffer is not keep.buffer and region.buffer.uid not in held:
            self.free.append(region.buffer)

    def largest(self, block: Block) -> Buffer | None:
        """Of the tiles that a block uses."""
        regions = (region for stmt in walk_stmts(block) for region in regions_of(stmt))
        used = {root(region.buffer).uid for region in regions}
        return max((tile for tile in self.made if tile.uid in used), key=tile_bytes, default=None)

    def mark(self) -> Mark:
        """Where things stand, for `undo`."""
        return len(self.made), self.next_uid, len(self.before), dict(self.kept)

    def undo(self, mark: Mark) -> None:
        """Back to a mark, with all tiles free but those that are kept: an attempt failed."""
        count, self.next_uid, calls, self.kept = mark[0], mark[1], mark[2], dict(mark[3])
        del self.made[count:], self.before[calls:]
        held = {tile.buffer.uid for tile in self.kept.values()}
        self.free = [tile for tile in self.made if tile.uid not in held]
