"""Give event ids to flags so that none is set again before its wait is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tl_ascend.ir.effects import form_of
from tl_ascend.ir.expr import Var
from tl_ascend.ir.nodes import Block, For, TileOp, While, walk_stmts
from tl_ascend.ir.periodic import values_of
from tl_ascend.passes.sync_around import alone, answer_behind, can_answer
from tl_ascend.passes.sync_merge import can_merge, merge_two
from tl_ascend.passes.sync_model import State
from tl_ascend.passes.sync_place import Behind, behind_branch
from tl_ascend.passes.sync_tree import (
    ALL,
    BARRIER,
    FLAG,
    FLAGS,
    MAX_IDS,
    Node,
    Sync,
    countable,
    flag_of,
    walk_nodes,
)
from tl_ascend.passes.sync_walk import Walker
from tl_ascend.target.hardware import FLAG_IDS, FLAG_PAIRS, Pipe

# Every walk that changes something bans an id or turns a flag into a barrier: this many are plenty.
# Flags without an id become barriers after that.
MAX_WALKS = 100

Pair = tuple[Pipe, Pipe]
_NO_IDS: frozenset[int] = frozenset()


def taken_ids(block: Block) -> dict[Pair, set[int]]:
    """Ids that templates use inside, and those of the author's flags. Templates of all routes: so the
    flags of a kernel are the same on each."""
    taken: dict[Pair, set[int]] = {}
    for stmt in walk_stmts(block):
        if not isinstance(stmt, TileOp):
            continue
        form = form_of(stmt)
        for source, target, event in form.every_event if form else ():
            taken.setdefault((source, target), set()).add(event)
        if stmt.op in FLAGS:
            source, target, ids = flag_of(stmt)
            taken.setdefault((source, target), set()).update(values_of(ids, FLAG_IDS - 1))
    return taken


def assign_ids(nodes: Sequence[Node], walker: Walker, taken: dict[Pair, set[int]]) -> None:
    """Settle the ids of all flags in the tree."""
    giver = _Giver(nodes, walker, taken)
    walker.guard = giver.guard
    if not _settle(nodes, walker, giver, MAX_WALKS):
        # A barrier orders more than its flag did, so that walks add nothing: each makes barriers of
        # flags, or is the last one.
        giver.barriers_only = True
        _settle(nodes, walker, giver, sum(1 for _ in _syncs(nodes)) + 2)
    for sync in _syncs(nodes):
        if sync.event < 0:
            _make_barrier(sync)
    walker.guard = None


def close_gaps(nodes: Sequence[Node], taken: dict[Pair, set[int]]) -> None:
    """Give flags the lowest ids that are not taken: those that share ids now do so then."""
    of_pair: dict[Pair, list[Sync]] = {}
    for sync in _syncs(nodes):
        if sync.kind is FLAG:
            of_pair.setdefault((sync.source, sync.target), []).append(sync)
    for pair, syncs in of_pair.items():
        used = set(taken.get(pair, ()))
        for group in _sharing(syncs):
            first = group[0].event
            width = max(sync.event + sync.ids for sync in group) - first
            # Where it is now is free: those before it have not gone up.
            now = next(e for e in range(FLAG_IDS) if used.isdisjoint(range(e, e + width)))
            used.update(range(now, now + width))
            for sync in group:
                sync.event += now - first


def _sharing(syncs: Sequence[Sync]) -> Iterator[list[Sync]]:
    """Flags with ids in common, directly or through others, from the lowest id on."""
    group: list[Sync] = []
    end = 0
    for sync in sorted(syncs, key=lambda sync: sync.event):
        if group and sync.event >= end:
            yield group
            group = []
        group.append(sync)
        end = max(end, sync.event + sync.ids)
    yield group


def _settle(nodes: Sequence[Node], walker: Walker, giver: _Giver, walks: int) -> bool:
    """Walk until nothing changes; False where that takes more walks."""
    for _ in range(walks):
        giver.changed = False
        walker.cover(nodes)
        if not giver.barriers_only:
            giver.bring_out()
            giver.merge()
            giver.put_answers(walker)
        giver.grant()
        if not giver.changed:
            return True
    return False


class _Giver:
    """Chooses an id at the first set of a flag, and another one where that proves wrong. Where each
    might be set again before its wait, the flag gets an answer: one that leads back, waited for
    before it is set. Where flags that are alike have all ids, two of them become one. `barriers_only`:
    a flag without an id becomes a barrier at once."""

    def __init__(self, nodes: Sequence[Node], walker: Walker, taken: dict[Pair, set[int]]) -> None:
        self.changed = False
        self.barriers_only = False
        self._nodes = nodes
        self._walker = walker
        self._answered: dict[int, bool] = {}  # by flag; False: wished for
        self._taken = taken
        self._most = _most_ids(nodes, walker)  # by loop
        self._around = loops_around(nodes)
        self._wishes: dict[int, tuple[int, Node | None]] = {}  # by flag: ids, home
        self._out: dict[int, Behind | None] = {}  # by flag: the branch that it is set behind
        self._syncs = {sync.number: sync for sync in _syncs(nodes)}
        self._closed: dict[int, tuple[Node, Node] | None] = {}  # by flag: to answer behind its loop
        self._rivals: dict[int, set[int]] = {}  # by flag: those that stood in its way
        self._crowds: dict[Pair, set[int]] = {}  # flags for which the ids of two pipes do not do

    def guard(self, sync: Sync, state: State, turn: int, first: bool) -> None:
        """See that a flag can be set now, for the iteration `turn` later."""
        self._syncs.setdefault(sync.number, sync)
        if sync.number in self._wishes:
            return
        if sync.event >= 0:
            if self._free(sync, sync.event, state, turn):
                return
            sync.banned.add(sync.event)
        self.changed = True
        if self.barriers_only:
            _make_barrier(sync)
        else:
            self._choose(sync, state, turn, first)

    def _choose(self, sync: Sync, state: State, turn: int, first: bool) -> None:
        """Another id, or what does without."""
        # Where its own wait is not certainly done, no other id would help, but more of them might.
        if sync.event >= 0 and _waited(sync, state, turn):
            if self._from_around(sync) if first else self._more(sync):
                return
        else:
            for event in self._candidates(sync):
                if self._free(sync, event, state, turn):
                    sync.event = event
                    return
            if self._crowded(sync, state):
                return
        if self._wait_before(sync):
            return
        if sync.early:
            sync.beside()
        elif sync.number not in self._answered and (sync.target, sync.source) in FLAG_PAIRS:
            self._answered[sync.number] = False
        elif self._answered.get(sync.number, True):
            _make_barrier(sync)

    def _more(self, sync: Sync) -> bool:
        """Take more ids in turns; False where that cannot help."""
        ids = sync.ids + 1
        most = self._most.get(sync.loop.var, 1) if sync.loop is not None else 1
        handed = sync.home is not None and sync.home.stmt is not sync.loop  # so that ids come again
        if ids > most or sync.branch or handed or not countable(sync, ids, sync.ahead):
            return False
        self._wishes[sync.number] = ids, sync.home
        return True

    def _from_around(self, sync: Sync) -> bool:
        """Set the flag before the loop around, so that its loop only hands it on, or have it answered
        behind its loop where it is."""
        home = sync.home
        outer = self._around.get(home) if home is not None else None
        if home is None or outer is None:
            return False
        returns = returns_to(sync, outer)
        if not (returns and alone(sync, home, outer, self._walker)):
            if sync.number not in self._closed and can_answer(sync, home, outer):
                self._closed[sync.number] = home, outer
                self._wishes[sync.number] = sync.ids, home
                return True
        if returns:
            self._wishes[sync.number] = sync.ids, outer
        return returns

    def _crowded(self, sync: Sync, state: State) -> bool:
        """Have two of the flags that have the ids now merged, or one of them with this one, where
        there are two that can be; only two in a walk, which may do."""
        pair = sync.source, sync.target
        if pair not in self._crowds:
            having = {sync.number, *(token.flag for token in state.open)}
            waits = state.pending[sync.source] & state.overlaps.all_waits
            having |= {token.flag for _, token in state.overlaps.waited(waits)}
            crowd = {number for number in having if self._of_pair(number, pair)}
            if not can_merge(self._nodes, crowd):
                return False
            self._crowds[pair] = crowd
        return True

    def _of_pair(self, number: int, pair: Pair) -> bool:
        other = self._syncs.get(number)
        return other is not None and (other.source, other.target) == pair

    def _wait_before(self, sync: Sync) -> bool:
        """Have the source pipe wait on each way to the set, where a branch before it waits on one;
        False where none does, or where that was tried."""
        if sync.number in self._out:
            return False
        self._out[sync.number] = found = behind_branch(self._nodes, self._walker, sync)
        if found is not None:
            self._wishes[sync.number] = max(1, sync.ahead), sync.home
        return found is not None

    def bring_out(self) -> None:
        """Move what branches wait for to before them, as wished for in the last walk. Barriers that
        are needed after that, the next one puts back."""
        for number in self._wishes:
            found = self._out.get(number)
            if found is not None:
                self._out[number] = None
                for sync in found.bring_out(self._walker):
                    self._answered.pop(sync.number, None)
                for node in walk_nodes(self._nodes):
                    for place in (node.before, node.tail):
                        place[:] = [sync for sync in place if sync.kind is not BARRIER]

    def merge(self) -> None:
        """Merge what the last walk found to take more ids than there are, and give those of its
        pipes anew."""
        for pair, crowd in self._crowds.items():
            gone = merge_two(self._nodes, crowd, self._walker.overlaps)
            if gone is None:  # one of two was set beside its wait after that
                continue
            self._wishes.pop(gone.number, None)
            for sync in _syncs(self._nodes):
                if sync.kind is FLAG and (sync.source, sync.target) == pair:
                    sync.with_ids(sync.ids)
        self._crowds.clear()

    def grant(self) -> None:
        """Give flags the ids and the loops that they wished for in the last walk."""
        for number, (ids, home) in self._wishes.items():
            sync = self._syncs[number]
            sync.with_ids(ids)
            if sync.home is not None and home is not None and home is not sync.home:
                sync.home.carried.remove(sync)
                home.carried.append(sync)
                sync.home = home
        self._wishes.clear()

    def put_answers(self, walker: Walker) -> None:
        """Add the answers that the last walk asked for."""
        for number, loops in self._closed.items():
            self._closed[number] = None
            sync = self._syncs[number]
            if loops is not None and sync.home is loops[0]:
                answer = answer_behind(sync, *loops, walker)
                self._syncs[answer.number] = answer
        for node in walk_nodes(self._nodes):
            for place in (node.before, node.tail):
                for sync in [sync for sync in place if self._answered.get(sync.number) is False]:
                    self._answered[sync.number] = True
                    sync.with_ids(1)
                    answer = walker.answer(sync)
                    self._answered[answer.number] = True
                    self._syncs[answer.number] = answer
                    place.insert(place.index(sync), answer)

    def _free(self, sync: Sync, event: int, state: State, turn: int) -> bool:
        pair, last = (sync.source, sync.target), event + sync.ids
        used = self._taken.get(pair, _NO_IDS)
        if event in sync.banned or not used.isdisjoint(range(event, last)):
            return False
        token = sync.token(turn)
        for held in state.open:
            if held.target is not sync.target:
                continue
            other = self._syncs[held.flag]
            if other is sync:
                if held == token:
                    return False
            elif (other.source, other.target) == pair and _overlap(other, event, last):
                return False
        # The waits that the source pipe is not certainly behind.
        waits = state.pending[sync.source] & state.overlaps.waits(*pair, event, token)
        return not waits or not self._met(sync, waits, state)

    def _met(self, sync: Sync, waits: int, state: State) -> bool:
        """True where one of these waits is still for the id that its flag had then."""
        found = False
        for first, held in state.overlaps.waited(waits):
            other = self._syncs[held.flag]
            if (other.event, other.ids) == (first, held.ids):
                found = True
                self._rivals.setdefault(sync.number, set()).add(other.number)
                self._rivals.setdefault(other.number, set()).add(sync.number)
        return found

    def _candidates(self, sync: Sync) -> Sequence[int]:
        """First ids to try, those of flags that stood in the way last: flags of branches see each
        other's ids an iteration later, so that both would take what is free for both now."""
        events = range(FLAG_IDS + 1 - sync.ids)
        rivals = [self._syncs[number] for number in self._rivals.get(sync.number, ())]
        if not rivals:
            return events
        return sorted(events, key=lambda e: any(_overlap(r, e, e + sync.ids) for r in rivals))


def _overlap(sync: Sync, first: int, last: int) -> bool:
    """True where a flag has one of these ids."""
    return 0 <= sync.event < last and first < sync.event + sync.ids


def _waited(sync: Sync, state: State, turn: int) -> bool:
    """True where the source pipe may be ahead of the flag's own last wait."""
    pending, token = state.pending[sync.source], sync.token(turn)
    return any(
        pending & state.overlaps.wait(sync.source, sync.target, sync.event, own)
        for own in {token, token.any()}
    )


def _most_ids(nodes: Sequence[Node], walker: Walker) -> dict[Var, int]:
    """By variable of a loop, how many ids a flag may take in turns: what is used in turns is free
    for one after so many iterations."""
    loops = [(node, node.stmt) for node in walk_nodes(nodes) if isinstance(node.stmt, For)]
    return {loop.var: min(walker.terms(node).cycle, MAX_IDS) for node, loop in loops}


def loops_around(nodes: Sequence[Node], outer: Node | None = None) -> dict[Node, Node | None]:
    """For each loop the one that it stands in."""
    found: dict[Node, Node | None] = {}
    for node in nodes:
        inner = outer
        if isinstance(node.stmt, (For, While)):
            found[node], inner = outer, node
        for block in node.blocks:
            found.update(loops_around(block, inner))
    return found


def returns_to(sync: Sync, outer: Node) -> bool:
    """True where the same ids are set behind its loop as before it, or as its next run waits for."""
    if sync.count is not None:
        return any(loop is outer.stmt for loop in sync.count.loops)
    whole = sync.loop is not None and isinstance(sync.loop.extent, int) and not sync.cut
    return sync.ids == sync.ahead or (whole and sync.loop.extent % sync.ids == 0)  # type: ignore


def _make_barrier(sync: Sync) -> None:
    if sync.kind is FLAG:
        sync.beside()
        sync.kind = ALL
        sync.reason += "; no event id is free, so a full barrier"


def _syncs(nodes: Sequence[Node]) -> Iterator[Sync]:
    for node in walk_nodes(nodes):
        yield from (*node.before, *node.tail)
