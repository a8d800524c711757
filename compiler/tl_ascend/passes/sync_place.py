"""Where the sets of flags go: behind the last producer, so that the consumer does not wait for what
came after it, and other work of both pipes runs in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Scalar, free_vars, loads
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import For, If, While
from tl_ascend.ir.periodic import repeats
from tl_ascend.ir.phases import decided, phases_of
from tl_ascend.passes.sync_tree import ALL, FLAG, MAX_IDS, Node, Sync, countable, walk_nodes
from tl_ascend.passes.sync_walk import Walker
from tl_ascend.target.hardware import Pipe

SAMPLES = 16  # iterations that a condition is tried with


@dataclass(frozen=True, slots=True)
class _Around:
    """The loop around a block. Where the block is not its body but that of a branch in it, `rest` are
    all accesses of the other code in the loop, and `up` is the block with the branch, its place
    there, and what is around that block."""

    loop: Node | None = None
    rest: int = 0
    up: tuple[Sequence[Node], int, _Around] | None = None

    @property
    def body(self) -> Node | None:
        """The loop, where the block is its body."""
        return self.loop if self.up is None else None

    def inner(self, nodes: Sequence[Node], at: int, branch: int) -> _Around:
        """What is around a block of one of the statements of this block."""
        node = nodes[at]
        if isinstance(node.stmt, (For, While)):
            return _Around(node)
        if not isinstance(node.stmt, If) or self.loop is None:
            return _Around()
        rest = self.rest
        for part in (*nodes[:at], *nodes[at + 1 :], *node.blocks[1 - branch]):
            rest |= part.inside
        for work in node.works:
            rest |= work.keys
        return _Around(self.loop, rest, (nodes, at, self))


def place_sets(nodes: Sequence[Node], walker: Walker, around: _Around = _Around()) -> bool:
    """Move the sets of flags to behind their producers: in the same block, or in an iteration before
    where the block is the body of a loop, or that of a branch that alone needs them. True where any
    was moved."""
    moved = False
    for at, node in enumerate(nodes):
        for sync in node.before:
            if sync.kind is FLAG and not sync.early:
                moved |= _place(sync, nodes, at, walker, around)
        for branch, block in enumerate(node.blocks):
            moved |= place_sets(block, walker, around.inner(nodes, at, branch))
        if isinstance(node.stmt, If) and around.loop is not None:
            moved |= _out_of_branch(nodes, at, walker, around)
    return moved


@dataclass(frozen=True, slots=True)
class Spot:
    """Behind which statement of a block a flag may be set, how many iterations before."""

    index: int
    ahead: int = 0


def _place(sync: Sync, nodes: Sequence[Node], at: int, walker: Walker, around: _Around) -> bool:
    """Set a flag behind its producer. False where it stays beside the wait."""
    loop = around.body
    spot = _spot(sync, nodes, at, walker, loop)
    if spot is not None and _beside(spot, nodes, at):
        return False
    if spot is None:
        loop, spot = around.loop, _before_in_branch(sync, nodes, at, walker, around)
    if spot is None:
        return False
    ids = spot.ahead + (spot.ahead > 0 and spot.index < at) or 1
    sync.cut = loop is not None and loop.cut
    if ids > 1 and not (_ends(sync, loop) if sync.cut else countable(sync, ids, spot.ahead)):
        return False
    sync.early, sync.ahead, sync.ids = True, spot.ahead, ids
    nodes[spot.index].after.append(sync)
    at_breaks(sync, spot, nodes, at)
    if spot.ahead and loop is not None:
        sync.home = loop
        loop.carried.append(sync)
        sync.branch = around.up is not None
    return True


def is_settled(sync: Sync, loop: Node, walker: Walker) -> bool:
    """True where a flag that is waited for in the body of a loop is set as early as it can be."""
    nodes = loop.blocks[0]
    for at, node in enumerate(nodes):
        if sync in node.before and not sync.early:
            spot = _spot(sync, nodes, at, walker, loop)
            return spot is not None and _beside(spot, nodes, at)
    return sync.early


def set_at_end(loop: Node, walker: Walker) -> Iterator[Sync]:
    """The flags that are set at the head of the body of a loop for what its end did: behind that they
    could as well be."""
    nodes = loop.blocks[0]
    for sync in nodes[0].before if nodes else ():
        if sync.kind is FLAG and not sync.early:
            if _spot(sync, nodes, 0, walker, loop) == Spot(len(nodes) - 1, 1):
                yield sync


def at_breaks(sync: Sync, spot: Spot, nodes: Sequence[Node], at: int) -> None:
    """Where the loop is left, what is set then is waited for, or what is not is set once more: as
    many flags are set behind the loop as at the end of its last iteration."""
    for index, node in enumerate(nodes):
        for leaving in () if isinstance(node.stmt, (For, While)) else node.breaks:
            if spot.ahead and not sync.ends:
                if at <= index <= spot.index:
                    leaving.left.append(("set_flag", sync, spot.ahead))
                continue
            turns = range(index >= at, spot.ahead + (index > spot.index))
            leaving.left[:0] = [("wait_flag", sync, turn) for turn in turns]


def _ends(sync: Sync, loop: Node | None) -> bool:
    """True where its last waits can stand in the last iteration, which there must be."""
    low = interval(loop.stmt.extent)[0] if loop and isinstance(loop.stmt, For) else None
    return low is not None and low > 0 and sync.loop is loop.stmt  # type: ignore[union-attr]


def _beside(spot: Spot, nodes: Sequence[Node], at: int) -> bool:
    """True where nothing is between the set and the wait, and neither stands for the branches of a
    loop that is nothing but them."""
    whole = spot.ahead > 0 and isinstance(nodes[at].stmt, If)
    return not whole and spot.index + 1 == at + spot.ahead * len(nodes)


def _spot(
    sync: Sync, nodes: Sequence[Node], at: int, walker: Walker, loop: Node | None
) -> Spot | None:
    """Behind the last statement before the consumer that conflicts with it on the source pipe; None
    where it is not certain that both, or that all in between are run."""
    keys = [node.inside & walker.overlaps.of_pipe[sync.source] for node in nodes]
    for index in range(at - 1, -1, -1):
        if conflicts(sync, nodes[at], keys[index], walker):
            return Spot(index)
        if nodes[index].apart:  # the flag would stay set
            return None
    if loop is None or loop.apart or (isinstance(loop.stmt, For) and loop.stmt.extent == 1):
        return None
    terms = walker.terms(loop)
    for ahead in range(1, (MAX_IDS if terms.cycle > 1 else 1) + 1):
        keys = [terms.later.keys(part) for part in keys]
        for index in range(len(nodes) - 1, -1, -1):
            if conflicts(sync, nodes[at], keys[index], walker):
                return Spot(index, ahead)
    return None


def _before_in_branch(
    sync: Sync, nodes: Sequence[Node], at: int, walker: Walker, around: _Around
) -> Spot | None:
    """Behind the last statement of a branch that conflicts with the consumer when the branch is taken
    some iterations later; None where other code of the loop conflicts, too. However often the branch
    is taken, each id is waited for and set equally often, and is set before the loop once."""
    loop, own = around.loop, walker.overlaps.of_pipe[sync.source]
    if loop is None or around.up is None or loop.apart:
        return None
    terms = walker.terms(loop)
    if conflicts(sync, nodes[at], terms.ever(around.rest & own), walker):
        return None
    keys = [node.inside & own for node in nodes]
    for ahead in range(1, MAX_IDS + 1) if _by_index(sync, loop) else ():
        keys = [terms.later.keys(part) for part in keys]
        for index in range(len(nodes) - 1, at - 1, -1):
            if conflicts(sync, nodes[at], keys[index], walker):
                return Spot(index, ahead)
    for index in range(len(nodes) - 1, at - 1, -1):
        if conflicts(sync, nodes[at], terms.before(nodes[index].inside & own), walker):
            return Spot(index, 1)
    return None


def _by_index(sync: Sync, loop: Node) -> bool:
    """True where the iterations of a loop use places in turns, not whole tiles by branches."""
    starts = sync.wanted.starts if sync.wanted is not None else ()
    var = loop.stmt.var if isinstance(loop.stmt, For) else None
    return any(repeats(start) and var in free_vars(start) for start in starts if start is not None)


def _out_of_branch(nodes: Sequence[Node], at: int, walker: Walker, around: _Around) -> bool:
    """A branch that most iterations take waits before its condition for what it finds done before
    it: then the flag is certainly waited for, and can be set early. So do both branches of one
    condition, if both wait for the same pipe, and branches in turns for what the others did."""
    moved = False
    stmt = nodes[at].stmt
    assert isinstance(stmt, If) and around.loop is not None
    found = [list(_leading(block, nodes, at, walker, around)) for block in nodes[at].blocks]
    if not any(found):
        return False
    pairs = [{(sync.source, sync.target) for sync, _, _ in side} for side in found]
    usual, in_turns = _usual(stmt.condition, around.loop), any(phases_of(stmt.condition))
    for side, often in zip(found, usual, strict=True):
        for sync, node, others in side:
            both = all((sync.source, sync.target) in pair for pair in pairs)
            if often or both or (in_turns and others):
                node.before.remove(sync)
                if _stands(sync, nodes, at, walker, around):
                    moved = True
                else:
                    nodes[at].before.append(sync)
                    moved |= _place(sync, nodes, at, walker, around)
    return moved


def _leading(
    block: Sequence[Node], nodes: Sequence[Node], at: int, walker: Walker, around: _Around
) -> Iterator[tuple[Sync, Node, bool]]:
    """The flags of a branch that could be set early if they were waited for before the branch, or
    before one around it; whether for what a branch of that condition did."""
    for sync, node in _loose(block, walker):
        level: tuple[Sequence[Node], int, _Around] | None = nodes, at, around
        while level is not None:
            spot = _spot(sync, *level[:2], walker, level[2].body)
            if spot is not None:
                yield sync, node, spot.index == level[1]
                break
            level = level[2].up


def _loose(block: Sequence[Node], walker: Walker) -> Iterator[tuple[Sync, Node]]:
    """The flags of a branch for what is done before it. The scalar unit would hold up all pipes."""
    for index, node in enumerate(block):
        for sync in node.before:
            flag = sync.kind is FLAG and not sync.early and sync.target is not Pipe.S
            if flag and _spot(sync, block, index, walker, None) is None:
                yield sync, node
        if node.leaves:
            return


def _stands(sync: Sync, nodes: Sequence[Node], at: int, walker: Walker, around: _Around) -> bool:
    """True where the same flag is there already."""
    spot = _spot(sync, nodes, at, walker, around.body)
    return spot is not None and any(
        other.early
        and (other.source, other.target) == (sync.source, sync.target)
        and _spot(other, nodes, at, walker, around.body) == spot
        for other in nodes[at].before
    )


@dataclass(frozen=True, slots=True)
class Behind:
    """A branch that a flag is set behind, at a place of a block, and what it waits for on some ways
    that come from where the flag leads to."""

    nodes: Sequence[Node]
    at: int
    around: _Around
    loose: Sequence[tuple[Sync, Node]]

    def bring_out(self, walker: Walker) -> Iterator[Sync]:
        """Wait before the branch, so on every way."""
        place = self.nodes[self.at].before
        for sync, node in self.loose:
            if sync.kind is not FLAG or sync not in node.before:
                continue
            yield sync
            node.before.remove(sync)
            sync.with_ids(1)
            pair = sync.source, sync.target
            alike = [other for other in place if (other.source, other.target) == pair]
            if any(not other.early and other.kind is FLAG for other in alike):
                continue  # what is set right there does for all
            if not _stands(sync, self.nodes, self.at, walker, self.around):
                place.append(sync)
                _place(sync, self.nodes, self.at, walker, self.around)


def behind_branch(
    nodes: Sequence[Node], walker: Walker, sync: Sync, around: _Around = _Around()
) -> Behind | None:
    """The branch that a flag is set behind, where the pipe that sets it has not waited on every way
    for the one that it leads to, but could."""
    for at, node in enumerate(nodes):
        if isinstance(node.stmt, If) and _set_behind(sync, nodes, at, walker, around):
            pair = sync.target, sync.source
            every = (one for block in node.blocks for one in _loose_within(block, walker))
            loose = [one for one in every if (one[0].source, one[0].target) == pair]
            return Behind(nodes, at, around, loose) if loose else None
        for branch, block in enumerate(node.blocks):
            found = behind_branch(block, walker, sync, around.inner(nodes, at, branch))
            if found is not None:
                return found
    return None


def _set_behind(
    sync: Sync, nodes: Sequence[Node], at: int, walker: Walker, around: _Around
) -> bool:
    following = (at + 1) % len(nodes)
    if sync.early or sync not in nodes[following].before:
        return sync in nodes[at].after
    spot = _spot(sync, nodes, following, walker, around.body)
    return spot is not None and spot.index == at


def _loose_within(block: Sequence[Node], walker: Walker) -> Iterator[tuple[Sync, Node]]:
    """Those of branches in a branch, too."""
    yield from _loose(block, walker)
    for index, node in enumerate(block):
        for inner in node.blocks if isinstance(node.stmt, If) else ():
            for sync, at in _loose_within(inner, walker):
                if _spot(sync, block, index, walker, None) is None:
                    yield sync, at
        if node.leaves:
            return


def _usual(condition: Scalar, loop: Node) -> tuple[bool, bool]:
    """Whether most iterations of a loop take a branch, and whether they take the other one."""
    stmt = loop.stmt
    if not isinstance(stmt, For) or stmt.var not in free_vars(condition) or loads(condition):
        return False, False
    taken = [decided(substitute(condition, {stmt.var: at})) for at in _samples(stmt)]
    if None in taken:
        return False, False
    share = sum(map(bool, taken)) / max(1, len(taken))
    return share > 0.5, share < 0.5


def _samples(loop: For) -> list[Scalar]:
    """Values of the variable of a loop: the last ones, where it is not known how many there are."""
    start, extent = loop.start, loop.extent
    if not isinstance(start, int) or not isinstance(extent, int):
        last = binary("-", binary("+", start, extent), 1)
        return [binary("-", last, at) for at in range(SAMPLES)]
    step = max(1, extent // SAMPLES)
    while step > 1 and not (step % 2 and step % 3):  # else it may always be the turn of one branch
        step -= 1
    return [*range(start, start + extent, step)]


def conflicts(sync: Sync, consumer: Node, keys: int, walker: Walker) -> bool:
    """True where what a flag makes wait must be behind one of some accesses."""
    wanted = [a for work in consumer.works if work.pipe is sync.target for a in work.accesses]
    if not wanted and sync.wanted is not None:  # of something inside of it
        wanted = [sync.wanted]
    return any(walker.overlaps.conflicts(access, keys) for access in wanted)


def take_back(nodes: Sequence[Node]) -> None:
    """Take out all but the flags that are set early, which may do for the rest."""
    for node in walk_nodes(nodes):
        for place in (node.before, node.tail):
            place[:] = [sync for sync in place if sync.early]


def drop_useless(nodes: Sequence[Node], walker: Walker) -> None:
    """Take out what ordered nothing in the last walk."""
    for node in walk_nodes(nodes):
        for place in (node.before, node.after, node.tail, node.carried):
            place[:] = [sync for sync in place if sync.number in walker.useful]
        node.left[:] = [entry for entry in node.left if entry[1].number in walker.useful]
        node.last[:] = [turn for turn in node.last if turn.sync.number in walker.useful]


def put_full_first(nodes: Sequence[Node]) -> bool:
    """Put full barriers first at their places, so that they do for the others there. True where that
    changed anything."""
    places = [place for node in walk_nodes(nodes) for place in (node.before, node.tail)]
    return any([_full_first(place) for place in places])


def _full_first(syncs: list[Sync]) -> bool:
    before = list(syncs)
    syncs.sort(key=lambda sync: sync.kind is not ALL)
    return syncs != before
