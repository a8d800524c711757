"""Copies of one pipe to the same place: MTE2 and MTE3 do not keep their copies in order."""

from __future__ import annotations

from collections import defaultdict

from tl_ascend.checks.sync.events import LOOSE, NUMBER, Access, Event
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Var, free_vars
from tl_ascend.ir.nodes import Block, For, Kernel, Region, TileOp, blocks_of, regions_of
from tl_ascend.ir.storage import root

_Copied = tuple[Event, Access]
_Found = dict[tuple[int, int], list[tuple[TileOp, Region, tuple[Var, ...]]]]


def watched(kernel: Kernel) -> frozenset[int]:
    """The buffers to which several copies of one pipe go, or one again and again."""
    found: _Found = defaultdict(list)
    _collect(kernel.body, (), found)
    return frozenset(uid for (_, uid), copies in found.items() if copies[1:] or _again(*copies[0]))


def _collect(block: Block, around: tuple[Var, ...], found: _Found) -> None:
    for stmt in block:
        if isinstance(stmt, TileOp):
            for step in effect_of(stmt).steps:
                pipe = NUMBER.get(step.pipe)
                if pipe is not None and pipe in LOOSE:
                    for region in step.writes:
                        found[pipe, root(region.buffer).uid].append((stmt, region, around))
            continue
        inside = (*around, stmt.var) if isinstance(stmt, For) else around
        for inner in blocks_of(stmt):
            _collect(inner, inside, found)


def _again(op: TileOp, target: Region, around: tuple[Var, ...]) -> bool:
    """True where a loop moves what is copied, and not where to."""
    if not around:
        return False
    moved = {var for start in target.starts for var in free_vars(start)}
    every = {
        var for region in regions_of(op) for start in region.starts for var in free_vars(start)
    }
    return any(var in every and var not in moved for var in around)


def differ(one: _Copied, other: _Copied) -> bool:
    """True where two copies to the same place do not certainly write the same."""
    (first, a), (second, b) = one, other
    if first is second or (a.added and b.added):
        return False
    reads = [
        [(c.uid, c.number) for c in event.accesses if not c.write] for event in (first, second)
    ]
    if reads[0] != reads[1]:
        return True
    return not (
        reads[0]
        or first.stmt is second.stmt
        or (
            isinstance(first.stmt, TileOp)
            and isinstance(second.stmt, TileOp)
            and first.stmt.args[0] == second.stmt.args[0]
        )
    )
