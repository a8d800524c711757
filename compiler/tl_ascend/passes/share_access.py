"""What one statement touches of the tiles that two vector cores divide (`threads=2`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from tl_ascend.ir.affine import affine, same
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Scalar, Var, free_vars, loads
from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    For,
    Kernel,
    Region,
    Stmt,
    Store,
    TileOp,
    exprs_of,
    regions_of,
    walk_stmts,
    within,
)
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Span


@dataclass(slots=True)
class Divided:
    """The tiles that are divided, by the uid of their root, and why the others are not. `odd`: those
    that have halves but for one row."""

    tiles: set[int]
    whole: dict[int, str] = field(default_factory=dict)
    odd: list[Buffer] = field(default_factory=list)

    def has(self, buffer: Buffer) -> bool:
        return root(buffer).uid in self.tiles

    def give_up(self, buffer: Buffer, why: str) -> None:
        """Leave a tile whole. That can only be taken back by nobody: fewer and fewer are divided."""
        uid = root(buffer).uid
        if uid in self.tiles:
            self.tiles.discard(uid)
            self.whole[uid] = why


class Refusal(Exception):
    """The work cannot be divided here. `span`: of the statement that stands against it."""

    def __init__(self, why: str, span: Span | None = None) -> None:
        super().__init__(why)
        self.span = span


def indexed_tiles(loop: For, divided: Divided) -> list[Buffer]:
    """The divided tiles whose rows a loop counts."""
    found: dict[int, Buffer] = {}
    for stmt in walk_stmts(loop.body):
        for buffer, index in _first_indices(stmt):
            if index is loop.var and divided.has(buffer):
                found[buffer.uid] = buffer
    return list(found.values())


def counts_rows(loop: For, divided: Divided) -> bool:
    """True for a loop over the rows of divided tiles."""
    return bool(indexed_tiles(loop, divided))


def _first_indices(stmt: Stmt) -> Iterator[tuple[Buffer, Scalar]]:
    if isinstance(stmt, Store) and stmt.indices:
        yield stmt.buffer, stmt.indices[0]
    for region in regions_of(stmt):
        if region.starts:
            yield region.buffer, region.starts[0]
    for value in exprs_of(stmt):
        for load in loads(value):
            if load.indices:
                yield load.buffer, load.indices[0]


def is_copy(op: TileOp) -> bool:
    """True for what moves a tile between memories."""
    return op.op in TABLE and TABLE[op.op].choose == "memories"


def is_row(region: Region, row: For | None) -> bool:
    """True for the one row that a loop over rows is at."""
    return (
        row is not None
        and bool(region.starts)
        and region.starts[0] is row.var
        and (same(region.extents[0], 1) is True)
    )


def is_full(region: Region) -> bool:
    """True for all rows, of all columns or of some."""
    if not region.starts:
        return True
    rows = same(region.extents[0], region.buffer.shape[0]) is True
    return same(region.starts[0], 0) is True and rows and region.form != "start"


def apart(region: Region, row: For) -> bool:
    """True where no two iterations of a loop over rows touch one place."""
    inner = {s.var for s in walk_stmts(row.body) if isinstance(s, For)}
    pairs = zip(region.starts, region.extents, strict=False)
    return any(_apart(start, extent, row.var, inner) for start, extent in pairs)


def _apart(start: Scalar, extent: Scalar, row: Var, inner: Collection[Var]) -> bool:
    form = affine(start)
    step = 0 if form is None else abs(form.terms.get(row, 0))
    if form is None or not step or not isinstance(extent, int):
        return False
    width = extent - 1
    for atom, factor in form.terms.items():
        names = free_vars(atom)
        if atom is row or not (row in names or loads(atom) or any(v in inner for v in names)):
            continue
        if not isinstance(atom, Var) or atom.low is None or atom.high is None:
            return False
        width += abs(factor) * (atom.high - atom.low)
    return width < step


def is_private(buffer: Buffer, row: For, kernel: Kernel) -> bool:
    """True where each iteration of a loop first writes all of a tile, which nothing else touches."""
    uid = root(buffer).uid
    inside = sum(uid in touched(stmt) for stmt in walk_stmts(row.body))
    if inside != sum(uid in touched(stmt) for stmt in walk_stmts(kernel.body)):
        return False
    return _written_first(uid, row.body)


def touched(stmt: Stmt) -> set[int]:
    effect = effect_of(stmt)
    return {root(r.buffer).uid for r in (*effect.reads, *effect.writes, *effect.scalars)}


def _written_first(uid: int, body: Block) -> bool:
    for stmt in body:
        if uid not in {found for inner in within(stmt) for found in touched(inner)}:
            continue
        effect = effect_of(stmt)
        if any(root(r.buffer).uid == uid for r in (*effect.reads, *effect.scalars)):
            return False
        return any(root(r.buffer).uid == uid and _all(r) for r in effect.writes)
    return False


def _all(region: Region) -> bool:
    """True for every element of the tile."""
    if region.buffer.alias_of is not None:
        return False
    pairs = zip(region.starts, region.extents, region.buffer.shape, strict=False)
    whole = all(same(s, 0) is True and same(e, size) is True for s, e, size in pairs)
    return whole and (region.form != "start" or not region.buffer.rank)
