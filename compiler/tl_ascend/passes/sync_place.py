"""Where the sets of flags go: behind the last producer, so that the consumer does not wait for what
came after it, and other work of both pipes runs in between."""

from __future__ import annotations

from collections.abc import Sequence

from tl_ascend.ir.expr import loads
from tl_ascend.ir.nodes import For, Stmt, While
from tl_ascend.passes.sync_ids import MAX_IDS
from tl_ascend.passes.sync_tree import Kind, Node, Sync, walk_nodes
from tl_ascend.passes.sync_walk import Walker


def place_sets(nodes: Sequence[Node], walker: Walker, loop: Node | None = None) -> bool:
    """Move the sets of flags to behind their producers: in the same block, or in the iteration before
    where the block is the body of `loop`. True where any was moved."""
    moved = False
    for at, node in enumerate(nodes):
        for sync in node.before:
            if sync.kind is Kind.FLAG and not sync.early:
                _place(sync, nodes, at, walker, loop)
                moved |= sync.early
        inner = node if isinstance(node.stmt, (For, While)) else None
        for block in node.blocks:
            moved |= place_sets(block, walker, inner)
    return moved


def _place(sync: Sync, nodes: Sequence[Node], at: int, walker: Walker, loop: Node | None) -> None:
    producer, clear = _producer(sync, nodes, at, walker)
    if producer == at - 1 or not clear:
        return  # nothing is in between, or there is a way out in between
    if producer is not None:
        sync.early = True
        nodes[producer].after.append(sync)
    elif loop is not None:
        _carry(sync, nodes, at, walker, loop)


def _producer(
    sync: Sync, nodes: Sequence[Node], at: int, walker: Walker
) -> tuple[int | None, bool]:
    """The last statement before the consumer that conflicts with it on the source pipe, and whether
    all that stand in between are certainly run."""
    source = walker.overlaps.of_pipe[sync.source]
    for index in range(at - 1, -1, -1):
        if _conflicts(sync, nodes[at], nodes[index].inside & source, walker):
            return index, True
        if nodes[index].leaves:  # the flag would stay set
            return None, False
    return None, True


def _carry(sync: Sync, nodes: Sequence[Node], at: int, walker: Walker, loop: Node) -> None:
    """Let each iteration set the flag for a later one."""
    if loop.leaves or (isinstance(loop.stmt, For) and loop.stmt.extent == 1):
        return
    terms, source = walker.terms(loop), walker.overlaps.of_pipe[sync.source]
    keys = [node.inside & source for node in nodes]
    for ahead in range(1, (MAX_IDS if terms.cycle > 1 else 1) + 1):
        keys = [terms.later.keys(part) for part in keys]
        for index in range(len(nodes) - 1, -1, -1):
            if _conflicts(sync, nodes[at], keys[index], walker):
                _hand_on(sync, nodes, at, index, ahead, loop)
                return


def _hand_on(
    sync: Sync, nodes: Sequence[Node], at: int, index: int, ahead: int, loop: Node
) -> None:
    """Set the flag behind a statement, for the iteration `ahead` later."""
    if ahead == 1 and at == 0 and index == len(nodes) - 1:
        return  # nothing is in between
    ids = ahead + (index < at)
    if ids > 1 and not _counts(loop.stmt, ahead, ids):
        return
    sync.early, sync.ahead, sync.ids = True, ahead, ids
    nodes[index].after.append(sync)
    loop.carried.append(sync)


def _counts(stmt: Stmt, ahead: int, ids: int) -> bool:
    """True where the iterations of a loop can take ids in turns, and it is known behind the loop
    whose turn it is."""
    return isinstance(stmt, For) and ids <= MAX_IDS and (ahead == ids or not loads(stmt.extent))


def _conflicts(sync: Sync, consumer: Node, keys: int, walker: Walker) -> bool:
    wanted = [a for work in consumer.works if work.pipe is sync.target for a in work.accesses]
    if not wanted and sync.wanted is not None:  # of something inside of it
        wanted = [sync.wanted]
    return any(walker.overlaps.conflicts(access, keys) for access in wanted)


def drop_useless(nodes: Sequence[Node], walker: Walker) -> None:
    """Take out what ordered nothing in the last walk. A full barrier comes first at its place, so
    that it does for the others there."""
    places = [place for node in walk_nodes(nodes) for place in (node.before, node.tail)]
    if any([_full_first(place) for place in places]):
        walker.cover(nodes)
    for node in walk_nodes(nodes):
        for place in (node.before, node.after, node.tail, node.carried):
            place[:] = [sync for sync in place if sync.number in walker.useful]


def _full_first(syncs: list[Sync]) -> bool:
    """True where that changed anything."""
    before = list(syncs)
    syncs.sort(key=lambda sync: sync.kind is not Kind.ALL)
    return syncs != before
