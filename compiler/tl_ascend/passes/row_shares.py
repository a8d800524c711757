"""Which tiles of the UB two vector cores divide by rows (`threads=2`), and which both keep whole.

A tile is divided where each of its uses keeps to one half of the rows: as a whole in operations that
work row by row, or one row at a time in a loop over all of them. Every other tile is left whole: both
cores then load and compute all of it, which is right, only done twice. Giving up one tile can take
others with it, so all statements are looked at until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Scalar, loads
from tl_ascend.ir.nodes import (
    Alloc,
    Block,
    Break,
    Buffer,
    For,
    Kernel,
    Region,
    Stmt,
    Store,
    TileOp,
    While,
    blocks_of,
    exprs_of,
    regions_of,
    walk_stmts,
)
from tl_ascend.ir.storage import elements, root
from tl_ascend.ir.text import show, show_region
from tl_ascend.passes.share_access import (
    Divided,
    apart,
    indexed_tiles,
    is_copy,
    is_full,
    is_private,
    is_row,
)
from tl_ascend.passes.share_rules import keeps_to_rows
from tl_ascend.target.hardware import Memory

CORES = 2
GATHERED = "it is copied from or to places in GM that are read from the UB"


def divided_tiles(kernel: Kernel) -> Divided:
    """The tiles that are divided, and why the others are not."""
    divided = Divided(set())
    gathered = set(gathered_tiles(kernel))
    for buffer in tiles_of(kernel):
        uid, rows = buffer.uid, buffer.shape[0]
        if buffer.alias_of is not None:
            continue
        if uid in gathered:
            divided.whole[uid] = GATHERED
        elif not isinstance(rows, int) or rows < CORES:
            divided.whole[uid] = "its first dimension cannot be halved"
        elif rows % CORES:
            divided.whole[uid] = f"{rows} rows cannot be halved"
            divided.odd.append(buffer)
        else:
            divided.tiles.add(uid)
    for buffer in tiles_of(kernel):
        if buffer.alias_of is not None and not _alike(buffer, root(buffer)):
            divided.give_up(buffer, f"{buffer.name} is a view of it that has other rows")
    _settle(kernel, divided)
    return divided


def tiles_of(kernel: Kernel) -> Iterator[Buffer]:
    """The buffers in the UB, views included, in the order of their declaration."""
    for stmt in walk_stmts(kernel.body):
        buffer = stmt.buffer if isinstance(stmt, Alloc) else None
        if buffer is not None and buffer.shape and kernel.memory(buffer) is Memory.UB:
            yield buffer


def gathered_tiles(kernel: Kernel) -> Iterator[int]:
    """Both sides of copies whose place in GM is read from the UB."""
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, TileOp) and is_copy(stmt):
            regions = list(regions_of(stmt))
            if any(_reads_ub(region, kernel) for region in regions):
                yield from (root(region.buffer).uid for region in regions)


def _reads_ub(region: Region, kernel: Kernel) -> bool:
    if kernel.memory(region.buffer) is not Memory.GM:
        return False
    read = (load for start in region.starts for load in loads(start))
    return any(kernel.memory(load.buffer) is Memory.UB for load in read)


def _alike(buffer: Buffer, source: Buffer) -> bool:
    """True for a view that has the same rows, of the same bytes."""
    if buffer.shape[:1] != source.shape[:1]:
        return False
    count, whole = elements(buffer.shape), elements(source.shape)
    if count is None or whole is None:
        return False
    return count * buffer.dtype.bits == whole * source.dtype.bits


def _settle(kernel: Kernel, divided: Divided) -> None:
    judge = _Judge(kernel, divided)
    before = -1
    while before != len(divided.tiles):
        before = len(divided.tiles)
        judge.block(kernel.body, None)


class _Judge:
    """Takes tiles out of those that are divided. `row`: the loop over rows that a statement is in."""

    def __init__(self, kernel: Kernel, divided: Divided) -> None:
        self._kernel, self._divided = kernel, divided

    def block(self, block: Block, row: For | None) -> None:
        for stmt in block:
            inner = row
            if isinstance(stmt, For):
                inner = self._loop(stmt, row)
            self._statement(stmt, row)
            for nested in blocks_of(stmt):
                self.block(nested, inner)

    def _loop(self, loop: For, row: For | None) -> For | None:
        tiles = indexed_tiles(loop, self._divided)
        if tiles and row is not None:
            self._one_of(row, indexed_tiles(row, self._divided), loop, tiles)
            return row
        for tile in tiles:
            if loop.start != 0 or loop.extent != tile.shape[0]:
                self._give_up(tile, f"the loop over {loop.var.name} does not run over its rows")
        if tiles and _leaves(loop.body):
            self._give_up_rows(loop, f"the loop over {loop.var.name} can end before its last row")
        return loop if indexed_tiles(loop, self._divided) else row

    def _one_of(self, outer: For, one: list[Buffer], inner: For, other: list[Buffer]) -> None:
        """Of two loops in one another only one is over rows: that of the tiles with more dimensions."""
        name = outer.var.name
        if max((t.rank for t in other), default=0) > max((t.rank for t in one), default=0):
            one, other, inner, name = other, one, outer, inner.var.name
        for tile in other:
            self._give_up(tile, f"it is indexed with {inner.var.name}, where {name} is the row")

    def _statement(self, stmt: Stmt, row: For | None) -> None:
        for load in (load for value in exprs_of(stmt) for load in loads(value)):
            self._element(load.buffer, load.indices, row)
        if isinstance(stmt, Store):
            self._element(stmt.buffer, stmt.indices, row)
        if isinstance(stmt, TileOp):
            self._rows_of(stmt, row)
        if row is not None:
            self._once(stmt, row)
        elif isinstance(stmt, TileOp) and not keeps_to_rows(stmt, self._divided, self._kernel):
            self._drop(stmt, f"{_name(stmt)} does not keep to half of the rows")

    def _element(self, buffer: Buffer, indices: tuple[Scalar, ...], row: For | None) -> None:
        if indices and (row is None or indices[0] is not row.var):
            self._give_up(buffer, f"it is indexed with {show(indices[0])}")

    def _rows_of(self, op: TileOp, row: For | None) -> None:
        for region in regions_of(op):
            if not self._divided.has(region.buffer):
                continue
            one = is_row(region, row) and not (is_copy(op) and region.form == "start")
            if row is not None and not one:
                self._give_up(
                    region.buffer, f"the loop over {row.var.name} uses {show_region(region)}"
                )
            elif row is None and not is_full(region):
                self._give_up(region.buffer, f"{show_region(region)} is a part of the rows")

    def _once(self, stmt: Stmt, row: For) -> None:
        """What an iteration writes must be its own: the other core does not have it."""
        name = row.var.name
        if isinstance(stmt, TileOp) and not self._is_of_vector_cores(stmt):
            self._give_up_rows(row, f"the cube core, too, is at work in the loop over {name}")
        if isinstance(stmt, TileOp) and stmt.op == "tile.atomic_add":
            return
        for region in effect_of(stmt).writes:
            buffer = region.buffer
            if self._divided.has(buffer) or (self._is_shared(buffer) and apart(region, row)):
                continue
            if not is_private(buffer, row, self._kernel):
                self._give_up_rows(
                    row, f"all rows of the loop over {name} come together in {buffer.name}"
                )

    def _is_shared(self, buffer: Buffer) -> bool:
        """True for what both cores see. Of a whole tile in the UB each has one of its own."""
        return self._kernel.memory(buffer) is not Memory.UB

    def _is_of_vector_cores(self, op: TileOp) -> bool:
        regions = list(regions_of(op))
        memories = [self._kernel.memory(region.buffer) for region in regions]
        if is_copy(op) and memories[0] is Memory.UB:
            return memories[1] in (Memory.UB, Memory.GM, Memory.L1)
        return all(memory in (Memory.UB, Memory.GM) for memory in memories)

    def _drop(self, op: TileOp, why: str) -> None:
        for region in regions_of(op):
            self._give_up(region.buffer, why)

    def _give_up_rows(self, loop: For, why: str) -> None:
        for tile in indexed_tiles(loop, self._divided):
            self._give_up(tile, why)

    def _give_up(self, buffer: Buffer, why: str) -> None:
        self._divided.give_up(buffer, why)


def _name(op: TileOp) -> str:
    return f"T.{op.op}"


def _leaves(body: Block) -> bool:
    """True where a break leaves the loop with this body."""
    for stmt in body:
        if isinstance(stmt, Break):
            return True
        if not isinstance(stmt, (For, While)) and any(map(_leaves, blocks_of(stmt))):
            return True
    return False
