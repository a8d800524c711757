"""Which copies zero a tile in L1 before they fill a part of it.

Upstream's device call zeroes the whole tile where a copy to its first element moves less than all of it,
so that a product may go over the tile and takes zeros for what nobody filled. A tile may be put
together by several copies: only the first of them may do that. What was written before the tile was
last read belongs to an earlier use of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tl_ascend.ir.addresses import matrix
from tl_ascend.ir.affine import interval, same
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.geometry import resolve_copy
from tl_ascend.ir.nodes import (
    Block,
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
        for stmt in block:
            inner = blocks_of(stmt)
            if not inner:
                stmt, filled = self._one(stmt, filled)
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

    def _one(self, stmt: Stmt, filled: _Filled) -> tuple[Stmt, _Filled]:
        target = _target(stmt, self.memory) if isinstance(stmt, TileOp) else None
        if target is not None:
            clears = not any(map(_beside(target), filled.get(root(target.buffer).uid, ())))
            assert isinstance(stmt, TileOp)
            stmt = replace(stmt, clears=clears)
        effect, now = effect_of(stmt), dict(filled)
        for region in (*effect.reads, *effect.scalars):
            now.pop(root(region.buffer).uid, None)
        for region in effect.writes:
            uid = root(region.buffer).uid
            now[uid] = now.get(uid, frozenset()) | {region if target is None else target}
        return stmt, now


def _joined(ways: Iterable[_Filled]) -> _Filled:
    found: dict[int, frozenset[Region]] = {}
    for way in ways:
        for uid, regions in way.items():
            found[uid] = found.get(uid, frozenset()) | regions
    return found


def _target(op: TileOp, memory: Callable[[Buffer], Memory]) -> Region | None:
    """What a copy fills where that is less than the tile, from its first element on."""
    source, target = (*op.args, None, None)[:2]
    if op.op != "copy" or not isinstance(source, Region) or not isinstance(target, Region):
        return None
    path = memory(source.buffer), memory(target.buffer)
    resolved = resolve_copy(source, target, True) if path == (Memory.GM, Memory.L1) else None
    if not isinstance(resolved, tuple):
        return None
    target = resolved[1]
    first = all(type(start) is int and start == 0 for start in target.starts[-2:])
    return target if first and not _covers(target) else None


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
