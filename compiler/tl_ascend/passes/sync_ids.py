"""Give event ids to flags so that none is set again before its wait is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import form_of
from tl_ascend.ir.nodes import Block, TileOp, walk_stmts
from tl_ascend.passes.sync_model import State
from tl_ascend.passes.sync_tree import Kind, Node, Sync, walk_nodes
from tl_ascend.passes.sync_walk import Walker
from tl_ascend.target.hardware import FLAG_IDS, FLAG_PAIRS, Pipe

# Every walk that changes something bans an id or turns a flag into a barrier: this many are plenty.
# Flags without an id become barriers after that.
MAX_WALKS = 100

Pair = tuple[Pipe, Pipe]


def taken_ids(block: Block, route: str) -> dict[Pair, set[int]]:
    """Ids that templates of a route use inside, and those of the author's flags."""
    taken: dict[Pair, set[int]] = {}
    for stmt in walk_stmts(block):
        if not isinstance(stmt, TileOp):
            continue
        form = form_of(stmt)
        for source, target, event in form.events_on(route) if form else ():
            taken.setdefault((source, target), set()).add(event)
        if stmt.op in ("set_flag", "wait_flag"):
            pair = (_pipe(stmt.args[0]), _pipe(stmt.args[1]))
            taken.setdefault(pair, set()).update(_events(stmt.args[2]))
    return taken


def _pipe(name: object) -> Pipe:
    return next((pipe for pipe in Pipe if pipe.value == str(name).upper()), Pipe.ALL)


def _events(event: object) -> Iterator[int]:
    low, high = interval(event)
    yield from range(max(0, low or 0), FLAG_IDS if high is None else high + 1)


def assign_ids(nodes: Sequence[Node], walker: Walker, taken: dict[Pair, set[int]]) -> None:
    """Settle the ids of all flags in the tree."""
    giver = _Giver(nodes, taken)
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


def _settle(nodes: Sequence[Node], walker: Walker, giver: _Giver, walks: int) -> bool:
    """Walk until nothing changes; False where that takes more walks."""
    for _ in range(walks):
        giver.changed = False
        walker.cover(nodes)
        if not giver.barriers_only:
            giver.put_answers(walker)
        if not giver.changed:
            return True
    return False


class _Giver:
    """Chooses an id at the first set of a flag, and another one where that proves wrong. Where each
    might be set again before its wait, the flag gets an answer: one that leads back, waited for
    before it is set. `barriers_only`: a flag without an id becomes a barrier at once."""

    def __init__(self, nodes: Sequence[Node], taken: dict[Pair, set[int]]) -> None:
        self.changed = False
        self.barriers_only = False
        self._nodes = nodes
        self._answered: dict[int, bool] = {}  # by flag; False: wished for
        self._taken = taken
        self._syncs = {sync.number: sync for sync in _syncs(nodes)}

    def guard(self, sync: Sync, state: State) -> None:
        self._syncs.setdefault(sync.number, sync)
        if sync.event >= 0:
            if self._free(sync, sync.event, state):
                return
            sync.banned.add(sync.event)
        self.changed = True
        if self.barriers_only:
            _make_barrier(sync)
        else:
            self._choose(sync, state)

    def _choose(self, sync: Sync, state: State) -> None:
        """Another id, or what does without."""
        # Where its own wait is not certainly done, no other id would help.
        again = sync.event >= 0 and _waited(sync, state)
        sync.event = -1
        for event in () if again else range(FLAG_IDS):
            if self._free(sync, event, state):
                sync.event = event
                return
        if sync.early:
            sync.beside()
        elif sync.number not in self._answered and (sync.target, sync.source) in FLAG_PAIRS:
            self._answered[sync.number] = False
        elif self._answered.get(sync.number, True):
            _make_barrier(sync)

    def put_answers(self, walker: Walker) -> None:
        """Add the answers that the last walk asked for."""
        for node in walk_nodes(self._nodes):
            for place in (node.before, node.tail):
                for sync in [sync for sync in place if self._answered.get(sync.number) is False]:
                    self._answered[sync.number] = True
                    sync.banned.clear()
                    answer = walker.answer(sync)
                    self._answered[answer.number] = True
                    self._syncs[answer.number] = answer
                    place.insert(place.index(sync), answer)

    def _free(self, sync: Sync, event: int, state: State) -> bool:
        pair = (sync.source, sync.target)
        if event in self._taken.get(pair, ()) or event in sync.banned:
            return False
        for number in state.open:
            other = self._syncs[number]
            same = (other.source, other.target, other.event) == (*pair, event)
            if same and other is not sync:
                return False
        # The waits that the source pipe is not certainly behind.
        return not state.pending[sync.source] & state.overlaps.waits(*pair, event)


def _waited(sync: Sync, state: State) -> bool:
    """True where the source pipe may be ahead of the flag's own last wait."""
    pending, overlaps = state.pending[sync.source], state.overlaps
    return bool(pending & overlaps.wait(sync.source, sync.target, sync.event, sync.number))


def _make_barrier(sync: Sync) -> None:
    if sync.kind is Kind.FLAG:
        sync.beside()
        sync.kind = Kind.ALL
        sync.reason += "; no event id is free, so a full barrier"


def _syncs(nodes: Sequence[Node]) -> Iterator[Sync]:
    for node in walk_nodes(nodes):
        yield from (*node.before, *node.tail)
