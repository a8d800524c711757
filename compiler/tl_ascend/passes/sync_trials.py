"""Changes to the flags of a program that stand where another walk finds nothing missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from tl_ascend.ir.nodes import For
from tl_ascend.passes.sync_access import Overlaps, numbers
from tl_ascend.passes.sync_ids import loops_around
from tl_ascend.passes.sync_place import is_settled, place_sets
from tl_ascend.passes.sync_tree import Kind, Node, Sync, Turn, walk_nodes
from tl_ascend.passes.sync_walk import Walker
from tl_ascend.target.hardware import FLAG_IDS, Pipe

MOST_ALIKE = FLAG_IDS - 2  # ids of two pipes, for which a change may take another one


def drop_covered(nodes: Sequence[Node], walker: Walker) -> None:
    """Take out flags that order something behind their loops only, by waits which are there because
    of them: mostly others do for that, too."""
    carried = [sync for node in walk_nodes(nodes) for sync in node.carried]
    if not any(_beside_another(sync, node) for node in walk_nodes(nodes) for sync in node.before):
        return
    if not walker.settled:
        walker.cover(nodes)
    spare = [sync for sync in carried if sync.number not in walker.needed]
    if not spare or stands(nodes, walker, partial(_take_out, nodes, spare)) or len(spare) == 1:
        return
    for sync in spare:
        stands(nodes, walker, partial(_take_out, nodes, [sync]))


def _beside_another(sync: Sync, node: Node) -> bool:
    """True where a flag that is handed on is waited for beside another one."""
    others = (other for other in node.before if other is not sync and other.kind is Kind.FLAG)
    return sync.ahead > 0 and any(other.target is sync.target for other in others)


def advance_first(nodes: Sequence[Node], walker: Walker) -> None:
    """Set the flags that a loop hands on before their pipe waits for what was done before the loop: else
    its first iteration is held up by that."""
    for loop, outer in loops_around(nodes).items():
        held = any(o.target is sync.source for sync in loop.carried for o in loop.before)
        if held and outer is None:
            stands(nodes, walker, partial(_early, loop))


def postpone_last(nodes: Sequence[Node], walker: Walker) -> None:
    """Wait behind a loop for what its last iterations have set where that is needed, turn by turn, not
    for all of them at once."""
    loops = [
        (block, at) for block in _blocks(nodes) for at, node in enumerate(block) if node.carried
    ]
    if not any(_can_wait(block[at], walker) and at + 2 < len(block) for block, at in loops):
        return
    if not walker.settled:
        walker.cover(nodes)
    found = _Drained(walker.overlaps, dict(walker.drained), set(walker.useful))
    spare = list(_done_for(nodes, [block[at] for block, at in loops], walker))
    if spare:
        _take_out(nodes, spare)
        walker.settled = False
    for block, at in loops:
        if _can_wait(block[at], walker):
            later = list(found.later(block, at, own=True))
            if later and stands(nodes, walker, partial(_postpone, later)):
                continue
            sure = list(found.later(block, at))
            if sure and sure != later:
                stands(nodes, walker, partial(_postpone, sure))


def _blocks(nodes: Sequence[Node]) -> Iterator[Sequence[Node]]:
    yield nodes
    for node in walk_nodes(nodes):
        yield from node.blocks


def _can_wait(loop: Node, walker: Walker) -> bool:
    """True where it is known how often a loop ran, and what it has set."""
    return not loop.cut and walker.terms(loop).behind.by is not None


def _done_for(nodes: Sequence[Node], loops: Sequence[Node], walker: Walker) -> Iterator[Sync]:
    """Flags that last waits do for where they stand now: at the places of these further behind, each
    would vouch for what came before its set, and so seem to be of use."""
    pairs = {(sync.source, sync.target) for loop in loops for sync in loop.carried}
    for sync in (sync for node in walk_nodes(nodes) for sync in node.before):
        flag = sync.kind is Kind.FLAG and not sync.ahead and (sync.source, sync.target) in pairs
        if flag and sync.number not in walker.useful:
            yield sync


@dataclass(frozen=True, slots=True)
class _Drained:
    """What a walk found: `gains` of the last waits by turn, and which flags are of any use."""

    overlaps: Overlaps
    gains: dict[tuple[Sync, int], int]
    useful: set[int]

    def later(
        self, block: Sequence[Node], at: int, own: bool = False
    ) -> Iterator[tuple[Turn, Node]]:
        """Waits behind a loop, and the statements before which they are needed. `own`: for what the
        pipe that sets the flag does itself; for what it vouches for besides, others mostly do, too."""
        gains = {
            Turn(sync, turn): self.gains.get((sync, turn), 0)
            & (self.overlaps.of_pipe[sync.source] if own else -1)
            for sync in block[at].carried
            if sync.own and not sync.branch
            for turn in range(sync.ahead)
        }
        known: dict[tuple[Pipe, Pipe], int] = {}
        for wait in sorted(gains, key=lambda wait: gains[wait].bit_count()):
            sync, pair = wait.sync, (wait.sync.source, wait.sync.target)
            spot = self._needed(sync, gains[wait] & ~known.get(pair, 0), block, at)
            known[pair] = known.get(pair, 0) | gains[wait]
            if spot is not None and spot > at + 1:
                yield wait, block[spot]

    def _needed(self, sync: Sync, keys: int, block: Sequence[Node], at: int) -> int | None:
        """The statement behind a loop that needs what a wait is for."""
        overlaps, pair = self.overlaps, (sync.source, sync.target)
        for index in range(at + 1, len(block)):
            node = block[index]
            every = map(overlaps.access, numbers(node.inside & overlaps.of_pipe[sync.target]))
            if any(access is not None and overlaps.conflicts(access, keys) for access in every):
                return index
            inner = (s for n in walk_nodes([node]) for s in (*n.before, *n.after, *n.carried))
            useful = (other for other in inner if other.number in self.useful)
            if node.leaves or any((other.source, other.target) == pair for other in useful):
                return None
        return None


def _postpone(later: Sequence[tuple[Turn, Node]]) -> None:
    for turn, node in later:
        node.last.append(turn)
        turn.sync.kept.add(turn.turn)


def put_before_loops(nodes: Sequence[Node], walker: Walker) -> None:
    """Put barriers before a loop that only its first iteration needs, for what was done before it."""
    for loop in reversed(loops_around(nodes)):
        if isinstance(loop.stmt, For) and loop.stmt.extent == 1:
            continue
        for at, sync in _first_barriers(loop):
            if _for_what_is_before(sync, nodes, loop, walker):
                stands(nodes, walker, partial(_put_before, sync, at, loop))


def put_one_before(nodes: Sequence[Node], loop: Node, pipe: Pipe, walker: Walker) -> None:
    """Put the first barrier of one pipe before a loop whose iterations have a flag in its place."""
    outside = _outside(nodes, loop) & walker.overlaps.of_pipe[pipe]
    for at, sync in list(_first_barriers(loop)):
        if sync.target is pipe and sync.wanted is not None:
            if walker.overlaps.conflicts(sync.wanted, outside):
                stands(nodes, walker, partial(_put_before, sync, at, loop))


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


def stands(
    nodes: Sequence[Node],
    walker: Walker,
    change: Callable[[], None],
    further: Callable[[int], bool] | None = None,
    between: tuple[Pipe, Pipe] | None = None,
) -> bool:
    """Make a change; False where it was taken back, for something was missing then. `further`: what says
    whether that may be added, those with higher numbers than one; else nothing may. `between`: two
    pipes, to which that must lead."""
    every = walk_nodes(nodes)
    before = [_lists(node) for node in every]
    homes = {sync: sync.home for node in every for sync in node.carried}
    kept, count = [[list(part) for part in parts] for parts in before], walker.count
    early = [(node.early, list(node.last)) for node in every]
    turns = {sync: set(sync.kept) for sync in homes}
    beside = [sync for node in every for sync in node.before if not sync.early]
    found = walker.found
    change()
    covered = walker.covers(nodes, between)
    if covered and (walker.count == count or (further is not None and further(count))):
        return True
    walker.found = found
    for parts, lists in zip(before, kept, strict=True):
        for part, known in zip(parts, lists, strict=True):
            part[:] = known
    for node, first in zip(every, early, strict=True):
        node.early, node.last = first
    for sync, home in homes.items():
        sync.home, sync.kept = home, turns[sync]
    for sync in beside:
        sync.beside()
    return False


def settled(nodes: Sequence[Node], walker: Walker, like: Sync, loop: Node, count: int) -> bool:
    """True where what was added are flags between the pipes of another one, set right behind what they
    are for in the body of a loop, and there are ids for them."""
    found = [sync for node in walk_nodes(nodes) for sync in node.before]
    pair = like.source, like.target
    alike = [s for s in found if s.kind is Kind.FLAG and (s.source, s.target) == pair]
    added = [sync for sync in found if sync.number > count]
    if not all(sync in alike for sync in added) or sum(s.ids for s in alike) > MOST_ALIKE:
        return False
    while place_sets(nodes, walker):
        walker.cover(nodes)
    whole = walker.count == count + len(added)
    return whole and all(is_settled(sync, loop, walker) for sync in added)


def _lists(node: Node) -> tuple[list[Sync], ...]:
    return node.before, node.after, node.tail, node.carried, node.left  # type: ignore[return-value]


def _take_out(nodes: Sequence[Node], spare: Sequence[Sync]) -> None:
    for node in walk_nodes(nodes):
        for place in (node.before, node.after, node.tail, node.carried):
            place[:] = [sync for sync in place if sync not in spare]
        node.left[:] = [entry for entry in node.left if entry[1] not in spare]


def _early(loop: Node) -> None:
    loop.early = True
