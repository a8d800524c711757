"""Changes to the flags of a program that stand where another walk finds nothing missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from tl_ascend.ir.nodes import For
from tl_ascend.passes.sync_around import alone
from tl_ascend.passes.sync_ids import loops_around, returns_to
from tl_ascend.passes.sync_tree import Kind, Node, Sync, walk_nodes
from tl_ascend.passes.sync_walk import Walker
from tl_ascend.target.hardware import Pipe


def drop_covered(nodes: Sequence[Node], walker: Walker) -> None:
    """Take out flags that order something behind their loops only, by waits which are there because
    of them: mostly others do for that, too."""
    carried = [sync for node in walk_nodes(nodes) for sync in node.carried]
    if not any(_beside_another(sync, node) for node in walk_nodes(nodes) for sync in node.before):
        return
    walker.cover(nodes)
    spare = [sync for sync in carried if sync.number not in walker.needed]
    if not spare or _stands(nodes, walker, partial(_take_out, nodes, spare)) or len(spare) == 1:
        return
    for sync in spare:
        _stands(nodes, walker, partial(_take_out, nodes, [sync]))


def _beside_another(sync: Sync, node: Node) -> bool:
    """True where a flag that is handed on is waited for beside another one."""
    others = (other for other in node.before if other is not sync and other.kind is Kind.FLAG)
    return sync.ahead > 0 and any(other.target is sync.target for other in others)


def advance_first(nodes: Sequence[Node], walker: Walker) -> None:
    """Set the flags that a loop hands on before their pipe waits for what was done before the loop: else
    its first iteration is held up by that. Within another loop they are set before that one."""
    for loop, outer in loops_around(nodes).items():
        held = [sync for sync in loop.carried if any(o.target is sync.source for o in loop.before)]
        if held and outer is None:
            _stands(nodes, walker, partial(_early, loop))
        for sync in held if outer is not None and not outer.cut else ():
            if outer is not None and returns_to(sync, outer) and alone(sync, loop, outer, walker):
                _stands(nodes, walker, partial(_hand, sync, loop, outer))


def put_before_loops(nodes: Sequence[Node], walker: Walker) -> None:
    """Put barriers before a loop that only its first iteration needs, for what was done before it."""
    for loop in reversed(loops_around(nodes)):
        if isinstance(loop.stmt, For) and loop.stmt.extent == 1:
            continue
        for at, sync in _first_barriers(loop):
            if _for_what_is_before(sync, nodes, loop, walker):
                _stands(nodes, walker, partial(_put_before, sync, at, loop))


def _for_what_is_before(sync: Sync, nodes: Sequence[Node], loop: Node, walker: Walker) -> bool:
    """True where a barrier may be for what was done before a loop, and not for the iteration before."""
    overlaps, wanted = walker.overlaps, sync.wanted
    own = overlaps.of_pipe[sync.target]
    if wanted is None or not overlaps.conflicts(wanted, _outside(nodes, loop) & own):
        return False
    end = 0  # of an iteration; vector work is seldom ordered by other pipes
    for node in reversed(loop.blocks[0]) if sync.target is Pipe.V else ():
        end |= node.inside & own
        if any(other.kind is Kind.BARRIER and other.target is sync.target for other in node.before):
            break
    return not overlaps.conflicts(wanted, walker.terms(loop).within(end))


def _outside(nodes: Sequence[Node], loop: Node) -> int:
    """What is done elsewhere than in a loop."""
    found = 0
    for node in nodes:
        if node is not loop:
            for work in node.works:
                found |= work.keys
            for block in node.blocks:
                found |= _outside(block, loop)
    return found


def _first_barriers(loop: Node) -> Iterator[tuple[Node, Sync]]:
    """The first barrier of each pipe in an iteration, and before what it stands."""
    seen: set[Pipe] = set()
    for node in loop.blocks[0]:
        for sync in node.before:
            if sync.kind is Kind.BARRIER and sync.target not in seen:
                seen.add(sync.target)
                yield node, sync


def _put_before(sync: Sync, node: Node, loop: Node) -> None:
    node.before.remove(sync)
    loop.before.append(sync)


def _stands(nodes: Sequence[Node], walker: Walker, change: Callable[[], None]) -> bool:
    """Make a change; False where it was taken back, for something was missing then."""
    every = list(walk_nodes(nodes))
    before = [_lists(node) for node in every]
    homes = {sync: sync.home for node in every for sync in node.carried}
    kept, count = [[list(part) for part in parts] for parts in before], walker.count
    early = [node.early for node in every]
    change()
    walker.cover(nodes)
    if walker.count == count:
        return True
    for parts, lists in zip(before, kept, strict=True):
        for part, known in zip(parts, lists, strict=True):
            part[:] = known
    for node, first in zip(every, early, strict=True):
        node.early = first
    for sync, home in homes.items():
        sync.home = home
    return False


def _lists(node: Node) -> tuple[list[Sync], ...]:
    return node.before, node.after, node.tail, node.carried, node.left  # type: ignore[return-value]


def _take_out(nodes: Sequence[Node], spare: Sequence[Sync]) -> None:
    for node in walk_nodes(nodes):
        for place in (node.before, node.after, node.tail, node.carried):
            place[:] = [sync for sync in place if sync not in spare]
        node.left[:] = [entry for entry in node.left if entry[1] not in spare]


def _early(loop: Node) -> None:
    loop.early = True


def _hand(sync: Sync, home: Node, other: Node) -> None:
    home.carried.remove(sync)
    other.carried.append(sync)
    sync.home = other
