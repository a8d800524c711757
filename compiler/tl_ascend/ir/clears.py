"""Which copies zero a tile in L1 before they fill a part of it.

Upstream's device call zeroes the whole tile where a copy to its first element moves less than all of it,
so that a product may go over the tile and takes zeros for what nobody filled. A tile may be put
together by several copies: only the first of them may do that, and none needs to where they certainly
fill all of it before anything reads it. What was written before the tile was last read belongs to an
earlier use of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tl_ascend.ir.addresses import FRACTAL, block_elements, matrix
from tl_ascend.ir.affine import interval, same
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.geometry import is_one, resolve_copy, transfer
from tl_ascend.ir.nodes import (
    Block,
    Break,
    Buffer,
    For,
    If,
    Kernel,
    Region,
    Stmt,
    TileOp,
    While,
    blocks_of,
    walk_stmts,
    with_blocks,
)
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Memory

MOST_LOOPS = 4  # around each other, of which the second iteration is followed

# What was written of each tile, by uid, since it was last read.
_Filled: TypeAlias = Mapping[int, frozenset[Region]]


def with_clears(kernel: Kernel) -> Kernel:
    """The same kernel with the mark `clears` on the copies that zero their tile."""
    ops = [stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp)]
    if not any(_target(op, kernel.memory) for op in ops):
        return kernel
    return replace(kernel, body=_Walk(kernel.memory).marked(kernel.body, {}))


@dataclass(slots=True)
class _Walk:
    """`after`: what is filled behind the block that was walked last."""

    memory: Callable[[Buffer], Memory]
    after: _Filled = field(default_factory=dict)

    def marked(self, block: Block, filled: _Filled, loops: int = 0) -> Block:
        found: list[Stmt] = []
        for at, stmt in enumerate(block):
            inner = blocks_of(stmt)
            if not inner:
                stmt, filled = self._one(stmt, filled, block[at + 1 :])
            else:
                stmt = self._around(stmt, inner, filled, loops)
                filled = self.after
            found.append(stmt)
        self.after = filled
        return tuple(found)

    def _around(self, stmt: Stmt, inner: tuple[Block, ...], filled: _Filled, loops: int) -> Stmt:
        repeats = isinstance(stmt, (For, While))
        before = self._repeated(inner[0], filled, loops) if repeats else filled
        blocks, ends = [], [before] if repeats or isinstance(stmt, If) else []
        for nested in inner:
            blocks.append(self.marked(nested, before, loops + repeats))
            ends.append(self.after)
        if isinstance(stmt, If):
            ends = ends[1:] if len(inner) > 1 else ends
        self.after = _joined(ends)
        return with_blocks(stmt, tuple(blocks))

    def _repeated(self, body: Block, filled: _Filled, loops: int) -> _Filled:
        """What may be filled when an iteration begins."""
        while loops < MOST_LOOPS:
            self.marked(body, filled, loops + 1)
            more = _joined((filled, self.after))
            if more == filled:
                break
            filled = more
        return filled

    def _one(self, stmt: Stmt, filled: _Filled, following: Block) -> tuple[Stmt, _Filled]:
        target = _target(stmt, self.memory) if isinstance(stmt, TileOp) else None
        if target is not None:
            clears = not any(map(_beside(target), filled.get(root(target.buffer).uid, ())))
            clears = clears and not self._all_filled(target, (stmt, *following))
            assert isinstance(stmt, TileOp)
            stmt = replace(stmt, clears=clears)
        effect, now = effect_of(stmt), dict(filled)
        for region in (*effect.reads, *effect.scalars):
            now.pop(root(region.buffer).uid, None)
        for region in effect.writes:
            uid = root(region.buffer).uid
            now[uid] = now.get(uid, frozenset()) | {region if target is None else target}
        return stmt, now

    def _all_filled(self, target: Region, block: Block) -> bool:
        """True where the copies that a block begins with certainly fill the tile of one of them before
        anything else touches it."""
        tile, parts = root(target.buffer).uid, []
        for stmt in block:
            move = _move(stmt, self.memory) if isinstance(stmt, TileOp) else None
            effect = effect_of(stmt)
            touched = {root(r.buffer).uid for r in (*effect.reads, *effect.writes, *effect.scalars)}
            if blocks_of(stmt) or isinstance(stmt, Break):
                return False
            if tile not in touched:
                continue
            if move is None or move[1].buffer is not target.buffer:
                return False
            part = _part(*move) if _same_tile(move[1], target) else None
            parts += [part] if part is not None else []
            if _fill(parts, matrix(target.buffer.shape)):
                return True
        return False


def _joined(ways: Iterable[_Filled]) -> _Filled:
    found: dict[int, frozenset[Region]] = {}
    for way in ways:
        for uid, regions in way.items():
            found[uid] = found.get(uid, frozenset()) | regions
    return found


def _target(op: TileOp, memory: Callable[[Buffer], Memory]) -> Region | None:
    """What a copy fills where that is less than the tile, from its first element on."""
    move = _move(op, memory)
    if move is None:
        return None
    target = move[1]
    first = all(type(start) is int and start == 0 for start in target.starts[-2:])
    return target if first and not _covers(target) else None


def _move(op: TileOp, memory: Callable[[Buffer], Memory]) -> tuple[Region, Region] | None:
    """Both sides of a copy from GM to L1."""
    source, target = (*op.args, None, None)[:2]
    if op.op != "copy" or not isinstance(source, Region) or not isinstance(target, Region):
        return None
    path = memory(source.buffer), memory(target.buffer)
    resolved = resolve_copy(source, target, True) if path == (Memory.GM, Memory.L1) else None
    return resolved if isinstance(resolved, tuple) else None


def _same_tile(region: Region, other: Region) -> bool:
    pairs = zip(region.starts[:-2], other.starts[:-2], strict=True)
    return all(same(a, b) is True for a, b in pairs)


_Part: TypeAlias = tuple[int, int, int, int]  # first row and the one behind the last, columns alike


def _part(source: Region, target: Region) -> _Part | None:
    """What a copy certainly fills: whole blocks, from what lies inside its tensor."""
    moved, unit = transfer(source), block_elements(target.buffer.dtype)
    (row, column), (high, wide) = matrix(target.starts), matrix(target.extents)
    sizes = (moved.valid_rows, moved.valid_columns)
    whole = all(same(a, b) is True for a, b in zip(sizes, (high, wide), strict=True))
    if not whole or not all(map(is_one, target.extents[:-2])):
        return None
    if type(row) is not int or type(column) is not int or type(high) is not int:
        return None
    if type(wide) is not int or column % unit or wide % unit:
        return None
    return row, row + high, column, column + wide


def _fill(parts: Sequence[_Part], size: tuple[Scalar, Scalar]) -> bool:
    """True where parts leave nothing of a tile, which has whole fractals only."""
    rows, columns = size
    if type(rows) is not int or type(columns) is not int or rows % FRACTAL:
        return False
    high = sorted({0, *(end for part in parts for end in part[:2])})
    wide = sorted({0, *(end for part in parts for end in part[2:])})
    return (high[-1], wide[-1]) == (rows, columns) and all(
        any(top <= row < end and left <= column < right for top, end, left, right in parts)
        for row in high[:-1]
        for column in wide[:-1]
    )


def _covers(region: Region) -> bool:
    sides = zip(matrix(region.extents), matrix(region.buffer.shape), strict=True)
    return all(same(extent, size) is True for extent, size in sides)


def _beside(target: Region) -> Callable[[Region], bool]:
    """Whether a region may hold anything of a tile that a copy to its first element does not replace."""

    def found(region: Region) -> bool:
        if region.buffer is not target.buffer:
            return True
        pairs = list(zip(region.starts, target.starts, strict=True))
        if any(same(a, b) is False for a, b in pairs[:-2]):
            return False
        ends = zip(
            matrix(region.starts), matrix(region.extents), matrix(target.extents), strict=True
        )
        return not all(_within(start, extent, size) for start, extent, size in ends)

    return found


def _within(start: Scalar, extent: Scalar, size: Scalar) -> bool:
    gap = interval(binary("-", size, binary("+", start, extent)))[0]
    return gap is not None and gap >= 0
