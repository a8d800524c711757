"""Tiles that are read before any statement can have written them: the first time that the read runs,
nothing of the tile is set, whichever way the kernel went until then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tl_ascend.checks.certain import breaks_in, certain_loads, runs_through
from tl_ascend.ir.effects import argument, effect_of
from tl_ascend.ir.nodes import (
    MAX_STATEMENTS,
    Block,
    CoreScope,
    For,
    Kernel,
    Region,
    Stmt,
    TileOp,
    While,
    blocks_of,
    exprs_of,
    walk_stmts,
)
from tl_ascend.ir.remember import by_identity
from tl_ascend.ir.storage import root
from tl_ascend.ops.row import Op, Param, Values
from tl_ascend.ops.table import TABLE


@dataclass(frozen=True, slots=True)
class FirstRead:
    """`stmt` takes what `region` holds, and nothing has written its buffer before."""

    stmt: Stmt
    region: Region


def first_reads(kernel: Kernel) -> dict[int, FirstRead]:
    """Of each buffer, by uid, the first read that comes before all writes. Empty where an operation
    is not known: it may write anything."""
    if any(isinstance(s, TileOp) and s.op not in TABLE for s in walk_stmts(kernel.body)):
        return {}
    scan = _Scan()
    scan.block(kernel.body, set(), {})
    return scan.found


@dataclass(slots=True)
class _Scan:
    """`writers`: how many statements of a block write each buffer, by the block's identity."""

    found: dict[int, FirstRead] = field(default_factory=dict)
    writers: dict[int, Counter[int]] = field(default_factory=dict)

    def block(self, block: Block, written: set[int], around: Mapping[int, int]) -> None:
        """`written`: what may have been written; `around`: the writers in the outermost loop around,
        of which an earlier iteration may have run any before a branch is taken for the first time."""
        for stmt in block:
            self._one(stmt, written)
            if isinstance(stmt, CoreScope):
                self.block(stmt.body, written, around)
            elif isinstance(stmt, For) and runs_through(stmt):
                self.block(stmt.body, written, around or self._writers(stmt.body))
            elif not _left_early(stmt):
                self._perhaps(stmt, written, around)
            for nested in blocks_of(stmt):
                written.update(self._writers(nested))

    def _perhaps(self, stmt: Stmt, written: set[int], around: Mapping[int, int]) -> None:
        for nested in blocks_of(stmt):
            inside = self._writers(nested)
            others = {uid for uid, number in around.items() if number > inside[uid]}
            loops = around or (inside if isinstance(stmt, (For, While)) else {})
            self.block(nested, written | others, loops)

    def _one(self, stmt: Stmt, written: set[int]) -> None:
        for region in taken_by(stmt):
            uid = root(region.buffer).uid
            if uid not in written:
                self.found.setdefault(uid, FirstRead(stmt, region))
        written.update(root(region.buffer).uid for region in effect_of(stmt).writes)

    def _writers(self, block: Block) -> Counter[int]:
        known = self.writers.get(id(block))
        if known is None:
            stmts = walk_stmts(block)
            written = (root(r.buffer).uid for s in stmts for r in effect_of(s).writes)
            known = self.writers[id(block)] = Counter(written)
        return known


def _left_early(stmt: Stmt) -> bool:
    """A loop of which a `break` may leave out any part."""
    return isinstance(stmt, (For, While)) and breaks_in(stmt.body)


@by_identity(MAX_STATEMENTS)
def taken_by(stmt: Stmt) -> tuple[Region, ...]:
    """What the result of a statement depends on for certain."""
    return tuple(_taken_by(stmt))


def _taken_by(stmt: Stmt) -> Iterator[Region]:
    for value in exprs_of(stmt):
        for load in certain_loads(value):
            yield Region(load.buffer, load.indices, (1,) * len(load.indices), "start", stmt.span)
    row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
    shows = not effect_of(stmt).writes  # such as T.dump_tensor
    if isinstance(stmt, TileOp) and row and not shows and "selected_mask" not in row.checks:
        pairs = zip(stmt.args, row.params, strict=False)
        read = [a for a, p in pairs if isinstance(a, Region) and _counts(stmt, row, p)]
        buffers = Counter(root(region.buffer).uid for region in read)
        # Of a tile with itself (x - x), and of whole numbers with 0, the result may be the same always.
        zero = any(type(arg) is int and arg == 0 for arg in stmt.args)
        for region in read:
            if buffers[root(region.buffer).uid] == 1 and not (zero and _whole_numbers(region)):
                yield region


def _counts(stmt: TileOp, row: Op, param: Param) -> bool:
    if not param.role.reads or param.values is Values.NONE:
        return False
    return not param.overwritten_if or argument(stmt, row, param.overwritten_if) is False


def _whole_numbers(region: Region) -> bool:
    return region.buffer.dtype.kind in ("int", "uint")
