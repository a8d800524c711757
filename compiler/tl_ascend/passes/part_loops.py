"""Part loops over calls of one pipe, so that one barrier does for one in each iteration, and one call
for all rows where none of its operands is of a row (`whole_rows`).

`for i: Mul(s[i], ..); Adds(s[i], s[i], ..)` needs a barrier in each row, `for i: Mul(s[i], ..)` and then
`for i: Adds(s[i], ..)` one between them. Each call still comes after what it came after: a loop is
parted only where no call touches what another one behind it touches in a later iteration, be that a
scalar of a tile.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from tl_ascend.passes.whole_rows import own_of_a_row, whole_rows
from tl_ascend.target.hardware import Pipe

_WHY = "one barrier between two does for one in each iteration"
_ONCE = "what has no operand of a row is one call, and a barrier does for all rows"


def part_loops(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel with loops parted where that saves barriers that are ours to place."""
    overlaps, reasons = Overlaps(kernel), dict[Reason, None]()

    def block(old: Block) -> Block:
        done: list[Stmt] = []
        for stmt in old:
            inner = tuple(map(block, blocks_of(stmt)))
            stmt = with_blocks(stmt, inner) if inner else stmt
            parts, why = [stmt], ""
            if isinstance(stmt, For) and _ours(stmt, kernel):
                parts, why = _parts(stmt, overlaps, kernel)
                if why:
                    reasons[Reason("parts", stmt.span, _shown(parts), why)] = None
            if own := _own(parts):
                reasons[Reason("rows", stmt.span, "one after the other", own)] = None
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


def _parts(loop: For, overlaps: Overlaps, kernel: Kernel) -> tuple[list[Stmt], str]:
    """The loop as one or more, so that none needs a barrier inside. Why, where it would need one."""
    whole: list[Stmt] = [loop]
    works = [_work(stmt, overlaps) for stmt in loop.body]
    pipes = {work.pipe for work in works if work is not None}
    if len(pipes) > 1:
        return whole, ""
    for stmt, work in zip(loop.body, works, strict=True):
        if work is None:
            name = stmt.form or stmt.op if isinstance(stmt, TileOp) else ""
            return whole, f"{name} is work of more than one pipe" if pipes == {Pipe.V} else ""
    return _parted(loop, [work for work in works if work is not None], overlaps, kernel)


def _parted(
    loop: For, works: Sequence[Work], overlaps: Overlaps, kernel: Kernel
) -> tuple[list[Stmt], str]:
    later = Later(overlaps, frozenset(), loop.var)
    next_time = [later.keys(work.keys) for work in works]
    alone = _alone(loop, works, next_time, overlaps, kernel)
    parts: list[list[int]] = [[]]
    back = ""
    for at, work in enumerate(works):
        for before in works[: at + 1]:  # in a later iteration
            back = back or _met(before, next_time[at], overlaps)
        near = alone[at] or any(alone[b] for b in parts[-1])
        if (
            parts[-1]
            and near
            or any(_met(work, works[b].keys | next_time[b], overlaps) for b in parts[-1])
        ):
            parts.append([])
        parts[-1].append(at)
    if len(parts) == 1:
        return [loop], ""
    turning = [a.name for work in works for a in work.accesses if _turning(a, loop)]
    if turning:
        return [loop], f"iterations use places of {turning[0]} in turns"
    if back:
        return [loop], f"parted, it would touch {back} in another order"
    bounds = _bounds(loop, overlaps)
    if any(_met(bounds, work.keys, overlaps) for work in works):
        return [loop], "it changes how often it is run"
    made = [
        alone[part[0]] or replace(loop, body=tuple(loop.body[at] for at in part)) for part in parts
    ]
    return made, _ONCE if any(alone) else _WHY


def _alone(
    loop: For, works: Sequence[Work], later: Sequence[int], overlaps: Overlaps, kernel: Kernel
) -> list[Stmt | None]:
    """Of each call the one for all iterations, where none touches what another one of it does."""
    found: list[Stmt | None] = []
    for call, work, next_time in zip(loop.body, works, later, strict=True):
        apart = isinstance(call, TileOp) and not _met(work, next_time, overlaps)
        found.append(whole_rows(kernel, call, loop) if apart else None)  # type: ignore[arg-type]
    return found


def _shown(parts: Sequence[Stmt]) -> str:
    loops = sum(isinstance(part, For) for part in parts)
    calls = len(parts) - loops
    words = [f"{loops} loops" if loops > 1 else "one loop"] if loops else []
    words += (
        [f"{calls} calls on all rows" if calls > 1 else "one call on all rows"] if calls else []
    )
    return " and ".join(words)


def _own(parts: Sequence[Stmt]) -> str:
    """Why a loop is left of a `T.Parallel`, where that is for a number of each row."""
    loops = (part for part in parts if isinstance(part, For))
    return next(
        filter(None, (own_of_a_row(call, loop) for loop in loops for call in loop.body)), ""
    )


def _bounds(loop: For, overlaps: Overlaps) -> Work:
    """What decides how often a loop is run."""
    works = overlaps.works(effect_of(loop))
    return Work(Pipe.S, tuple(access for work in works for access in work.accesses))


def _work(stmt: Stmt, overlaps: Overlaps) -> Work | None:
    """All that a call does, with the scalars that it takes, where one pipe does all the rest."""
    effect = effect_of(stmt)
    pipes = list({step.pipe for step in effect.steps})
    if len(pipes) != 1 or pipes[0] is Pipe.S:
        return None
    works = overlaps.works(effect)
    accesses = tuple(access for work in works for access in work.accesses)
    return Work(pipes[0], accesses) if accesses else None


def _turning(access: Access, loop: For) -> bool:
    """True for places that a loop comes back to."""
    return any(
        start is not None and loop.var in free_vars(start) and repeats(start)
        for start in access.starts
    )


def _met(work: Work, keys: int, overlaps: Overlaps) -> str:
    """The name of something that both use and one of them writes, if there is any."""
    meeting = (access.name for access in work.accesses if overlaps.conflicts(access, keys))
    return next(meeting, "")
