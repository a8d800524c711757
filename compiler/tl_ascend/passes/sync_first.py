"""Where the flags go that the first iterations of a loop wait for: not right before it, but each behind
what its iteration needs, so that it does not wait for what later ones do.

Calls that it then comes before are those of iterations before the first one: they do what the loop
itself does `ahead` iterations before a later flag is waited for. There they come behind the set of this
flag, too, so that nothing in the loop takes it to speak of them. They wait for nothing, so that the pipe
that sets the flag knows the same at both places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import For, TileOp
from tl_ascend.passes.sync_access import Access, Overlaps, numbers
from tl_ascend.passes.sync_tree import Kind, Node, Sync, Turn
from tl_ascend.target.hardware import Pipe


def place_first(nodes: Sequence[Node], overlaps: Overlaps) -> None:
    """Move sets from right before their loops to behind earlier statements."""
    for at, node in enumerate(nodes):
        for sync in node.carried:
            for first in _movable(sync, node):
                spot = _spot(first, nodes, at, overlaps)
                if spot < at - 1:
                    nodes[spot].first.append(first)
                    sync.moved.add(first.turn)
        _drop_covered(nodes, at)
        for block in node.blocks:
            place_first(block, overlaps)


def _drop_covered(nodes: Sequence[Node], at: int) -> None:
    """Take out flags that are waited for before a loop whose first iteration begins with a wait for a
    later one of their kind, which vouches for as much."""
    loop = nodes[at]
    for sync in [sync for sync in loop.before if sync.early and not sync.ahead]:
        others = (*loop.before, *loop.carried)
        told = any(o.source is sync.target or o.kind is Kind.ALL for o in others)
        set_at = next((i for i in range(at) if sync in nodes[i].after), at)
        if set_at < at and not told and any(_covers(o, sync, nodes, at) for o in loop.carried):
            loop.before.remove(sync)
            nodes[set_at].after.remove(sync)


def _covers(other: Sync, sync: Sync, nodes: Sequence[Node], at: int) -> bool:
    """True where the first set of a flag of a loop comes behind the one set of another one, and the pipe
    that waits does nothing before it waits for that."""
    loop = nodes[at]
    if not _alike(other, sync) or not any(_movable(other, loop)):
        return False
    until = next((i for i in range(at) if sync in nodes[i].after), at)
    early = any(Turn(other, 0) in node.first for node in nodes[:until])
    for node in loop.blocks[0] if not early else ():
        if other in node.before:
            return all(o.source is not sync.target for o in node.before)
        if node.blocks or _busy(node, sync.target):
            return False
    return False


def _busy(node: Node, pipe: Pipe) -> bool:
    """True where a pipe may do something, or set a flag."""
    flags = any(sync.source is pipe for sync in (*node.before, *node.after))
    authors = not node.works  # flags of his have no work
    return flags or authors or any(work.pipe in (pipe, Pipe.S) for work in node.works)


def _movable(sync: Sync, loop: Node) -> Iterator[Turn]:
    """Those of a flag whose turns the iterations of this loop count, and that each of them sets."""
    stmt = loop.stmt
    if not isinstance(stmt, For) or sync.loop is not stmt or sync.count is not None:
        return
    runs = (interval(stmt.extent)[0] or 0) > 0
    held = not loop.early and _holds(sync, loop)
    if runs and sync.source is not Pipe.S and not (sync.branch or loop.cut or held):
        yield from (Turn(sync, turn) for turn in range(sync.ahead))


def _holds(sync: Sync, node: Node) -> bool:
    """True where the pipe that sets a flag waits before a statement, or its ids may be in use there."""
    return any(
        other.kind is Kind.ALL
        or other.target is sync.source
        or (_alike(other, sync) and _share_ids(other, sync))
        for other in node.before
    )


def _alike(one: Sync, other: Sync) -> bool:
    """True for flags between the same pipes."""
    return (one.source, one.target) == (other.source, other.target)


def _share_ids(one: Sync, other: Sync) -> bool:
    return one.event < other.event + other.ids and other.event < one.event + one.ids


def _spot(first: Turn, nodes: Sequence[Node], at: int, overlaps: Overlaps) -> int:
    """The statement that a flag can be set behind."""
    needs = list(_needs(first, nodes[at], overlaps))
    for index in range(at - 1, 0, -1):
        node, source = nodes[index], first.sync.source
        alone = isinstance(node.stmt, TileOp) and all(work.pipe is source for work in node.works)
        if not alone or not node.works or node.before or node.apart:
            return index
        if any(overlaps.conflicts(access, node.inside) for access in needs):
            return index
        if not _is_of_later_turn(node, first, nodes[at], overlaps):
            return index
    return 0


def _is_of_later_turn(node: Node, first: Turn, loop: Node, overlaps: Overlaps) -> bool:
    """True where a call before a loop is what the loop does for the flag of a later turn."""
    own, ahead = {access for work in node.works for access in work.accesses}, first.sync.ahead
    return any(
        own == set(_others([like], turn - ahead, loop, None, overlaps))
        for like in loop.blocks[0]
        if isinstance(like.stmt, TileOp) and isinstance(node.stmt, TileOp)
        if like.stmt.op == node.stmt.op
        for turn in range(first.turn + 1, ahead)
    )


def _needs(first: Turn, loop: Node, overlaps: Overlaps) -> Iterator[Access]:
    """What other pipes do in the iteration that waits for a flag, and before they wait in later ones
    that the flags before the loop are for."""
    (body,), source, ahead = loop.blocks, first.sync.source, first.sync.ahead
    wait = next((at for at, node in enumerate(body) if first.sync in node.before), len(body))
    yield from _others(body, first.turn, loop, source, overlaps)
    for turn in range(first.turn + 1, ahead + 1):
        for at, node in enumerate(body[:wait]):
            for access in _others([node], turn, loop, source, overlaps):
                if access.pipe is not first.sync.target or at < _guarded(first.sync, loop):
                    yield access


def _guarded(sync: Sync, loop: Node) -> int:
    """From where on the pipe that waits for a flag has waited, in the same iteration, for another one
    of its kind."""
    (body,) = loop.blocks
    for at, node in enumerate(body):
        for other in node.before:
            if _alike(other, sync) and other.kind is Kind.FLAG:
                if other in loop.carried and not other.branch or not other.ahead:
                    return at
    return len(body)


def _others(
    part: Sequence[Node], turn: int, loop: Node, source: Pipe | None, overlaps: Overlaps
) -> Iterator[Access]:
    """The accesses of all but one pipe in one iteration, counted from the first one."""
    stmt = loop.stmt
    assert isinstance(stmt, For)
    values: dict[Expr, Scalar] = {stmt.var: binary("+", stmt.start, turn)}
    for node in part:
        own = 0 if source is None else overlaps.of_pipe[source]
        for number in numbers(node.inside & ~own & ~overlaps.all_waits):
            access = overlaps.access(number)
            if access is not None:
                starts = tuple(s if s is None else substitute(s, values) for s in access.starts)
                yield overlaps.moved(access, starts, ())
