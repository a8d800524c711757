"""Tiles of L1 and L0 that are no multiple of a fractal: upstream places them by their declared bytes,
while their elements lie in whole fractals, in bytes of a neighbour or of their own next version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tl_ascend.checks.causes import of_any_length, of_length
from tl_ascend.checks.context import CheckContext, shape_text
from tl_ascend.diagnostics.report import Cause, Related
from tl_ascend.ir.addresses import FRACTAL, in_fractals, matrix, row_elements
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.liveness import fills
from tl_ascend.ir.nodes import Buffer, Placement, Stmt, regions_of, walk_stmts
from tl_ascend.ir.overwritten import Overwritten, Written, overwritten
from tl_ascend.ir.storage import (
    BLOCK,
    buffers,
    fractal_bytes,
    placed_bytes,
    round_up,
)
from tl_ascend.passes.plan_memory import declared_addresses
from tl_ascend.target.hardware import Memory

_MATRIX = (Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C)
_WHY = (
    "The moves and the matrix unit keep a tile in fractals of 16 rows of 32 bytes (L0B: 16 columns, "
    "L0C: 16 x 16 elements), and the next ones begin behind whole ones.",
    "Upstream's compiler puts tiles one behind the other in order of first use and counts the declared "
    "elements only; tl-ascend has room for whole fractals.",
)


@dataclass(frozen=True)
class _Tile:
    """A tile of constant size, at its address. `size`: declared bytes of one version."""

    buffer: Buffer
    place: Placement
    address: int
    size: int
    versions: int

    @cached_property
    def blocks(self) -> frozenset[int]:
        """The blocks of 32 bytes that hold elements of one version."""
        memory, kind = self.place.memory, self.buffer.dtype
        rows, columns = map(int, matrix(self.place.shape))
        turned = memory is Memory.L0B
        wide, high = (rows, columns) if turned else (columns, rows)
        step = BLOCK * 8 // kind.bits
        found = set()
        for first in range(0, wide, step):
            for other in range(high):
                at = (first, other) if turned else (other, first)
                offset, _ = in_fractals(memory, kind, at, (rows, columns))
                found.add(int(offset) * kind.bits // 8 // BLOCK)
        return frozenset(found)

    @property
    def reach(self) -> int:
        """Behind the last block of one version, from its start."""
        return (max(self.blocks) + 1) * BLOCK

    def meets(self, other: _Tile) -> bool:
        """True where both have elements in one block."""
        if self.address > other.address:
            return other.meets(self)
        apart = (other.address - self.address) // BLOCK
        whole = fractal_bytes(self.buffer, self.place) or 0
        return whole > apart * BLOCK and any(block + apart in self.blocks for block in other.blocks)


def fractal_overlap(context: CheckContext) -> None:
    """No element lies where another tile, or another version of its own, has one."""
    for memory in _MATRIX:
        tiles = list(_tiles(memory, context))
        for tile in tiles:
            if tile.versions > 1 and context.upstream != "none" and _several(tile, context):
                if tile.reach > tile.size:
                    _tell_versions(tile, context)
        for one in _spoilt([tile for tile in tiles if tile.versions == 1], context):
            _tell(one, {tile.buffer.uid: tile for tile in tiles}, context)


def _tiles(memory: Memory, context: CheckContext) -> Iterator[_Tile]:
    """Where upstream puts the tiles of a memory; ours, where only ours counts. None, where all are whole
    fractals."""
    kernel = context.after
    mine = [b for b in buffers(kernel) if b.uid in kernel.placements and kernel.memory(b) is memory]
    if all(fractal_bytes(b, kernel.place(b)) == placed_bytes(b, kernel.place(b)) for b in mine):
        return
    found = {buffer.uid: kernel.place(buffer).address for buffer in mine}
    if context.upstream != "none":
        found = dict(declared_addresses(kernel, memory, context.platform.memories[memory]))
    for buffer in mine:
        place, address = kernel.place(buffer), found.get(buffer.uid)
        size = placed_bytes(buffer, place)
        if address is None or not size or len(place.shape) < 2 or BLOCK * 8 % buffer.dtype.bits:
            continue
        plain = matrix(place.shape)
        one = int(plain[0]) * int(plain[1]) * buffer.dtype.bits // 8
        yield _Tile(buffer, place, address, one, size // one)


def _spoilt(tiles: Sequence[_Tile], context: CheckContext) -> list[Overwritten]:
    """What is certainly read as it was before another tile was written to the same bytes."""
    near = {a.buffer.uid: {b.buffer.uid for b in tiles if a is not b and a.meets(b)} for a in tiles}

    def may_spoil(stmt: Stmt) -> bool:
        return any(near.get(r.buffer.uid) and fills(r) for r in effect_of(stmt).writes)

    def spoils(stmt: Stmt, written: Mapping[int, Written]) -> Iterable[int]:
        for region in effect_of(stmt).writes:
            if fills(region):
                yield from near.get(region.buffer.uid, set()) & written.keys()

    return overwritten(context.before, spoils, may_spoil) if any(near.values()) else []


def _several(tile: _Tile, context: CheckContext) -> bool:
    """True where statements take more than one version."""
    parts = [r for stmt in walk_stmts(context.before.body) for r in regions_of(stmt)]
    found: set[tuple[Scalar, ...]] = {r.starts[:-2] for r in parts if r.buffer is tile.buffer}
    return len(found) > 1 or any(isinstance(at, Expr) for starts in found for at in starts)


def _tell(one: Overwritten, tiles: Mapping[int, _Tile], context: CheckContext) -> None:
    victim = tiles[one.region.buffer.uid]
    writer = next(
        tiles[r.buffer.uid]
        for r in effect_of(one.by).writes
        if r.buffer.uid in tiles and victim.meets(tiles[r.buffer.uid])
    )
    low, high = sorted((victim, writer), key=lambda tile: tile.address)
    name, memory = victim.buffer.name, victim.place.memory.value
    first, second = low.buffer.name, high.buffer.name
    ours = context.upstream == "none"
    start = f"{first} lies" if ours else f"upstream's compiler puts {first}"
    context.report.add(
        "fractal-overlap",
        one.by.span,
        f"elements of {name}, which is read behind it, are overwritten with {writer.buffer.name}: "
        f"{start} at byte {low.address} and {second} at byte {high.address} of {memory}, and {first}, "
        f"{_shown(low)}, has elements up to byte {low.address + low.reach}",
        notes=(*_WHY, _advice(low)),
        related=(
            Related(one.read.span, f"reads {name} as it was before"),
            Related(victim.buffer.span, f"{name} is allocated here"),
            Related(writer.buffer.span, f"{writer.buffer.name} is allocated here"),
        ),
        causes=_causes(low),
    )


def _tell_versions(tile: _Tile, context: CheckContext) -> None:
    name = tile.buffer.name
    context.report.add(
        "fractal-overlap",
        tile.buffer.span,
        f"the {tile.versions} versions of {name} overlap: upstream's compiler begins one every "
        f"{tile.size} bytes, and one of {_shown(tile)} has elements up to byte {tile.reach} of "
        f"{tile.place.memory.value}",
        notes=(*_WHY, _advice(tile)),
        causes=_causes(tile),
    )


def _causes(tile: _Tile) -> tuple[Cause, ...]:
    shape, whole = matrix(tile.place.shape), _whole(tile)
    odd = (size for size, other in zip(shape, whole, strict=True) if size != other)
    return (*of_length(*odd), of_any_length(tile.buffer))


def _shown(tile: _Tile) -> str:
    return f"{tile.buffer.dtype}[{', '.join(map(str, matrix(tile.place.shape)))}]"


def _advice(tile: _Tile) -> str:
    """How large a tile of whole fractals is."""
    shape = (*tile.place.shape[:-2], *_whole(tile))
    return f"Allocate whole fractals, {shape_text(shape)}, and copy into a part of them."


def _whole(tile: _Tile) -> tuple[int, ...]:
    """Rows and columns of whole fractals."""
    kind, memory = tile.buffer.dtype, tile.place.memory
    unit = row_elements(memory, kind)
    units = (unit, FRACTAL) if memory is Memory.L0B else (FRACTAL, unit)
    return tuple(round_up(int(n), u) for n, u in zip(matrix(tile.place.shape), units, strict=True))
