"""Part loops over calls of one pipe, so that one barrier does for one in each iteration.

`for i: Mul(s[i], ..); Adds(s[i], s[i], ..)` needs a barrier in each row, `for i: Mul(s[i], ..)` and then
`for i: Adds(s[i], ..)` one between them. Each call still comes after what it came after: a loop is
parted only where no call touches what another one behind it touches in a later iteration.
"""

from __future__ import annotations

from dataclasses import replace

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import free_vars
from tl_ascend.ir.nodes import AUTO_SYNC, Block, For, Kernel, Stmt, TileOp, blocks_of, with_blocks
from tl_ascend.ir.periodic import repeats
from tl_ascend.ir.reasons import Reason
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.sync_access import Access, Overlaps, Work
from tl_ascend.passes.sync_model import Later
from tl_ascend.target.hardware import Pipe

_WHY = "one barrier between two does for one in each iteration"


def part_loops(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel with loops parted where that saves barriers that are ours to place."""
    overlaps, reasons = Overlaps(kernel), dict[Reason, None]()

    def block(old: Block) -> Block:
        done: list[Stmt] = []
        for stmt in old:
            inner = tuple(map(block, blocks_of(stmt)))
            stmt = with_blocks(stmt, inner) if inner else stmt
            parts = [stmt]
            if isinstance(stmt, For) and _ours(stmt, kernel):
                parts = _parts(stmt, overlaps)
            if len(parts) > 1:
                reasons[Reason("parts", stmt.span, f"{len(parts)} loops", _WHY)] = None
            done += parts
        return tuple(done)

    return replace(kernel, body=block(kernel.body)).because(*reasons)


def _ours(loop: For, kernel: Kernel) -> bool:
    """True for a loop of several calls whose order is left to the compiler: the author's
    synchronisation cannot stand between what a `T.Parallel` became."""
    calls = [
        stmt for stmt in loop.body if isinstance(stmt, TileOp) and TABLE[stmt.op].kind != "sync"
    ]
    if len(calls) < 2 or len(calls) < len(loop.body) or loop.extent in (0, 1):
        return False
    return kernel.options.on(AUTO_SYNC) or all(call.loop == loop.span for call in calls)


def _parts(loop: For, overlaps: Overlaps) -> list[Stmt]:
    """The loop as one or more, so that none needs a barrier inside."""
    works = [work for stmt in loop.body if (work := _work(stmt, loop, overlaps)) is not None]
    if len(works) < len(loop.body) or len({work.pipe for work in works}) > 1:
        return [loop]
    later = Later(overlaps, frozenset(), loop.var)
    next_time = [later.keys(work.keys) for work in works]
    parts: list[list[int]] = [[]]
    for at, work in enumerate(works):
        # In a later iteration nothing may meet what then came before it, or itself.
        if any(_meet(works[before], next_time[at], overlaps) for before in range(at + 1)):
            return [loop]
        if any(_meet(work, works[b].keys | next_time[b], overlaps) for b in parts[-1]):
            parts.append([])
        parts[-1].append(at)
    return [replace(loop, body=tuple(loop.body[at] for at in part)) for part in parts]


def _work(stmt: Stmt, loop: For, overlaps: Overlaps) -> Work | None:
    """All that a call does, where that is on one pipe and its places are plain."""
    effect = effect_of(stmt)
    if effect.scalars or len(effect.steps) != 1 or effect.steps[0].pipe is Pipe.S:
        return None
    (work,) = overlaps.works(effect) or (None,)
    if work is None or any(_turning(access, loop) for access in work.accesses):
        return None
    return work


def _turning(access: Access, loop: For) -> bool:
    """True for places that a loop comes back to."""
    return any(
        start is not None and loop.var in free_vars(start) and repeats(start)
        for start in access.starts
    )


def _meet(work: Work, keys: int, overlaps: Overlaps) -> bool:
    return any(overlaps.conflicts(access, keys) for access in work.accesses)
