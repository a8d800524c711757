"""Order what must be ordered: flags between pipes and barriers within one (`tl.ascend_auto_sync`).

1. Walk the code of a core with the state of `sync_model`; before each call whose operands conflict
   with work that it is not certainly behind, put a flag (set and wait) or a barrier. Loops are
   walked until the state at their head is stable, so that the next iteration is ordered as well.
2. Move each set up to right behind its last producer in the same block, so that the consumer does
   not wait for what came after; where that is some iterations before, set the flag as many times
   before the loop and wait for it as many times behind; a `break` first does what leaves the same
   flags set as the end of an iteration. A branch that most iterations take, or that they take in
   turns, waits before its condition, so that this can be done for it, too; what a branch alone needs
   it hands on to the next time that it is taken.
   Take out the others, walk again, add what is still missing, and move that up as well, while ids
   may be free. Barriers that only the first iteration of a loop needs go before it.
3. Give ids: a flag must not be set again before its wait is done, on any way through the code. A
   flag for which none is certain takes several in turns (`k % 2`), where the loop uses memory in
   turns, is set once before an outer loop, has the pipe that sets it wait before a branch that waits
   on one way only, is set beside its wait, gets an answer, or becomes a barrier of all pipes. Before
   that, where ids are short, flags that are alike become one (`sync_merge`). What then orders
   nothing is taken out, and so is a barrier that stands before another one (`sync_spare`).

The author's own flags are left alone, and count where their set is certain; ids that they may take
are not used. Before a flag of his to the other core stands what orders all that it speaks of
(`sync_release`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.nodes import (
    AUTO_SYNC,
    Block,
    CoreScope,
    For,
    If,
    Kernel,
    Stmt,
    TileOp,
    blocks_of,
    walk_stmts,
    with_blocks,
)
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.sync_access import Overlaps
from tl_ascend.passes.sync_first import place_first
from tl_ascend.passes.sync_ids import assign_ids, close_gaps, taken_ids
from tl_ascend.passes.sync_once import set_once
from tl_ascend.passes.sync_place import drop_useless, place_sets, put_full_first, take_back
from tl_ascend.passes.sync_release import releases
from tl_ascend.passes.sync_spare import drop_spare
from tl_ascend.passes.sync_tree import FIRST, LAST, LEFT, Kind, Node, Sync, build_tree
from tl_ascend.passes.sync_trials import (
    advance_first,
    drop_covered,
    postpone_last,
    put_before_loops,
)
from tl_ascend.passes.sync_walk import Walker
from tl_ascend.target.hardware import FLAG_IDS, Core

# Of the ids of two pipes templates may use one, and one is for the flag that serves all the rest.
PLACINGS = FLAG_IDS - 2


def insert_sync(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel with the synchronisation that its author left to the compiler."""
    if not kernel.options.on(AUTO_SYNC):
        return kernel
    return replace(kernel, body=_scopes(kernel.body, kernel))


def _scopes(block: Block, kernel: Kernel) -> Block:
    """Each core scope is a program of its own; code outside of any is one too."""
    if not any(isinstance(stmt, CoreScope) for stmt in walk_stmts(block)):
        return ordered(block, kernel, block)
    done = []
    for stmt in block:
        if isinstance(stmt, CoreScope):
            stmt = replace(stmt, body=ordered(stmt.body, kernel, stmt.body, stmt.core))
        else:
            inner = tuple(_scopes(nested, kernel) for nested in blocks_of(stmt))
            stmt = with_blocks(stmt, inner) if inner else stmt
        done.append(stmt)
    return tuple(done)


def ordered(block: Block, kernel: Kernel, code: Block, core: Core = Core.ANY) -> Block:
    """Statements with all the synchronisation that they need among themselves. `code`: that of the
    core, with whose ids theirs must not collide."""
    overlaps = Overlaps(kernel)
    tree = build_tree(block, overlaps, releases(block, core, kernel, overlaps))
    walker = Walker(overlaps)
    for _ in range(PLACINGS):
        walker.cover(tree)
        if not place_sets(tree, walker):
            break
        take_back(tree)
    put_before_loops(tree, walker)
    drop_covered(tree, walker)
    set_once(tree, walker)
    advance_first(tree, walker)
    postpone_last(tree, walker)
    taken = taken_ids(code)
    assign_ids(tree, walker, taken)
    if put_full_first(tree):  # what an id was free behind may stand before now
        assign_ids(tree, walker, taken)
    drop_useless(tree, walker)
    drop_spare(tree)
    place_first(tree, overlaps)
    close_gaps(tree, taken)
    return _emit(tree)


def _emit(nodes: Sequence[Node]) -> Block:
    out: list[Stmt] = []
    for node in nodes:
        for kept in node.last:
            if kept.sync.keeps(kept.turn):
                out.append(_end("wait_flag", kept.sync, _after(kept.sync), kept.turn, LAST))
        out.extend(_ends("set_flag", node, FIRST) if node.early else ())
        for sync in node.before:
            out.extend(_calls(sync))
        inner = tuple(_emit(block) for block in node.blocks)
        tail: Block = tuple(call for sync in node.tail for call in _calls(sync))
        tail = (*tail, *_in_last(node))
        inner = (*inner[:-1], (*inner[-1], *tail)) if tail else inner
        out.extend(() if node.early else _ends("set_flag", node, FIRST))
        out.extend(_leaving(node))
        out.append(with_blocks(node.stmt, inner) if inner else node.stmt)
        out.extend(_ends("wait_flag", node, LAST))
        out.extend(_flag("set_flag", sync, sync.ahead) for sync in node.after if sync.early)
        out.extend(_end("set_flag", set_.sync, 0, set_.turn, FIRST) for set_ in node.first)
    return tuple(out)


def _calls(sync: Sync) -> list[TileOp]:
    if sync.kind is Kind.ALL:
        return [_call("barrier_all", (), sync)]
    if sync.kind is Kind.BARRIER:
        return [_call("pipe_barrier", (sync.target.value,), sync)]
    both = [] if sync.early else [_flag("set_flag", sync)]
    return [*both, _flag("wait_flag", sync)]


def _ends(name: str, node: Node, when: str) -> Iterator[TileOp]:
    """The flags that the first iterations of a loop wait for, or that its last ones have set."""
    loop = node.stmt
    for sync in node.carried:
        first: Scalar = 0
        # In which order all ids are waited for at one place is the same.
        if (sync.ahead % sync.ids or sync.kept) and isinstance(loop, For):
            if sync.count is not None:
                first = sync.count.at(loop, name == "wait_flag")
            elif name == "wait_flag" and loop is sync.loop:
                first = _after(sync)
        inside = name == "wait_flag" and sync.ends
        for turn in range(0 if inside else sync.ahead):
            away = sync.keeps(turn) if name == "wait_flag" else turn in sync.moved
            if not away:
                yield _end(name, sync, first, turn, when)


def _after(sync: Sync) -> Scalar:
    """The iteration that would come behind the last one."""
    assert sync.loop is not None
    return binary("max", sync.loop.extent, 0)


def _end(name: str, sync: Sync, first: Scalar, turn: int, when: str) -> TileOp:
    event = sync.event if sync.ids == 1 else _turn(sync, first, turn)
    return _flag_call(name, sync, event, f"{when}: {sync.reason}")


def _leaving(node: Node) -> Iterator[TileOp]:
    """What a `break` does first."""
    for name, sync, turn in node.left:
        if sync.early:
            yield replace(_flag(name, sync, turn), reason=f"{LEFT}: {sync.reason}")


def _in_last(node: Node) -> Iterator[If]:
    """What a loop that may end before does in its last iteration."""
    loop, calls = node.stmt, []
    for sync in node.carried:
        for turn in range(1, sync.ahead + 1) if sync.ends else ():
            call = _flag("wait_flag", sync, turn)
            calls.append(replace(call, reason=f"{LAST}: {sync.reason}"))
    if calls and isinstance(loop, For):
        last = binary("-", binary("+", loop.start, loop.extent), 1)
        yield If(compare("==", loop.var, last), tuple(calls), (), loop.span)


def _flag(name: str, sync: Sync, ahead: int = 0) -> TileOp:
    """A set for the iteration that comes `ahead` later, or a wait."""
    event: Scalar = sync.event
    if sync.ids > 1 and sync.loop is not None:
        own = binary("-", sync.loop.var, sync.loop.start)
        event = _turn(sync, own if sync.count is None else sync.count.expr, ahead)
    return _flag_call(name, sync, event, sync.reason)


def _turn(sync: Sync, iteration: Scalar, ahead: int) -> Scalar:
    turn = binary("%", binary("+", iteration, ahead % sync.ids), sync.ids)
    return binary("+", turn, sync.event)


def _flag_call(name: str, sync: Sync, event: Scalar, reason: str) -> TileOp:
    return _call(name, (sync.source.value, sync.target.value, event), sync, reason)


def _call(
    name: str, args: tuple[Scalar | str, ...], sync: Sync, reason: str | None = None
) -> TileOp:
    reason = sync.reason if reason is None else reason
    return TileOp(name, args, sync.span, (sync.span,) * len(args), form=name, reason=reason)
