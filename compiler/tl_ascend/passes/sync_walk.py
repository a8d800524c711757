"""Walk the code of one core and find what is not ordered yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Var
from tl_ascend.ir.nodes import Break, For, If, TileOp, While
from tl_ascend.passes.sync_access import Access, Overlaps, Work, numbers
from tl_ascend.passes.sync_author import CALLS, authors_call
from tl_ascend.passes.sync_counts import counts_of
from tl_ascend.passes.sync_enter import taken_in
from tl_ascend.passes.sync_model import PIPES, Behind, State
from tl_ascend.passes.sync_terms import Terms, in_each_turn, terms_of
from tl_ascend.passes.sync_tree import AGAIN, ALL, BARRIER, FLAG, Count, Node, Sync, walk_nodes
from tl_ascend.passes.sync_wide import widest_first
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import FLAG_PAIRS, Pipe

# A loop's state grows by joining, so it becomes stable; this bounds what a bug could cost.
MAX_ROUNDS = 64
# Flags before barriers: for work on a pipe, the other pipes come first.
_ORDER = {pipe: (*(p for p in PIPES if p is not pipe), pipe) for pipe in Pipe}

_SCALAR, _EVERY = Pipe.S, Pipe.ALL

Guard = Callable[[Sync, State, int, bool], None]
Found = tuple[set[int], set[int], dict[tuple[Sync, int], int], bool]


class _Missing(Exception):
    """Something has to be added, where nothing is to be."""


@dataclass(frozen=True, slots=True)
class _Round:
    """Of a loop what its iterations find done before them, if that is the same for all but the first,
    and what it leads to: at the end of an iteration, and where the loop is left in it. `changes`:
    when that was so."""

    changes: int
    head: State
    out: State
    left: tuple[State, ...]


class Walker:
    """`guard` is asked at each set of a flag, with the state there (used to give ids). `useful`: the
    syncs that ordered anything in the last walk, `needed`: not only behind their loops;
    `count`: how many were made; `drained`: what the last waits behind loops are for, by turn.
    `settled`: the last walk was of the tree as it is, and found nothing missing."""

    def __init__(self, overlaps: Overlaps) -> None:
        self.overlaps = overlaps
        self.guard: Guard | None = None
        self.useful: set[int] = set()
        self.needed: set[int] = set()
        self.drained: dict[tuple[Sync, int], int] = {}
        self.count = 0
        self.settled = False
        self._frozen = False  # only flags between these two pipes may be added, if any:
        self._between: tuple[Pipe, Pipe] | None = None
        self._changes = 0
        self._heads: dict[Node, _Round] = {}
        self._known: dict[Node, _Round] = {}  # of whole loops, by what was done before them
        self._runs: dict[Node, tuple[int, State, State]] = {}  # of loops of few iterations
        self._inside: dict[Node, list[Work]] = {}
        self._terms: dict[Node, Terms] = {}
        self._behinds: dict[tuple[Node, frozenset[int]], tuple[Behind, ...]] = {}
        self._counts: dict[Var, Count] | None = None
        self._ids: dict[Var, set[int]] = {}  # by loop, how many its flags have had
        self._loops: list[For | None] = [None]
        self._inner: set[Node] = set()  # loops in loops
        self._left: list[list[State]] = []  # states at a break, one list a loop around

    def cover(self, nodes: Sequence[Node]) -> None:
        """Add to the tree whatever is missing."""
        if self._counts is None:
            self._counts = dict(counts_of(nodes, self.overlaps))
        self.useful, self.needed, self.drained, self.settled = set(), set(), {}, False
        for known in (self._heads, self._known, self._runs):
            known.clear()
        self._loops, self._left = [None], []
        self._block(nodes, State.first(self.overlaps))

    def covers(self, nodes: Sequence[Node], between: tuple[Pipe, Pipe] | None = None) -> bool:
        """True where nothing is missing but flags between two pipes, which are added."""
        self._frozen, self._between, count = True, between, self.count
        try:
            self.cover(nodes)
        except _Missing:
            return False
        finally:
            self._frozen = False
        self.settled = self.count == count
        return True

    @property
    def found(self) -> Found:
        """What the last walk found."""
        return self.useful, self.needed, self.drained, self.settled

    @found.setter
    def found(self, found: Found) -> None:
        self.useful, self.needed, self.drained, self.settled = found

    def _block(self, nodes: Sequence[Node], state: State) -> State:
        for node in nodes:
            state = self._node(node, state)
        return state

    def _node(self, node: Node, state: State) -> State:
        for kept in node.last:
            if kept.sync.keeps(kept.turn):
                count = self._count_of(kept.sync)
                self._wait(kept.sync, state, kept.turn + count, last=True)
        if node.early:
            self._set_first(node, state)
        if len(node.before) > 1:
            node.before[:] = widest_first(node.before, state)
        for sync in node.before:
            self._apply(sync, state)
        if node.works:
            self._work(node, state)
        if not isinstance(node.stmt, TileOp):
            state = self._nested(node, state)
        elif node.stmt.op in CALLS:
            authors_call(node.stmt, state)
        if node.after:
            self._set_early(node.after, state)
        return state

    def _nested(self, node: Node, state: State) -> State:
        """What a statement holds, and where it leads."""
        if isinstance(node.stmt, (For, While)):
            return self._loop(node, state)
        if isinstance(node.stmt, If):
            branches = [self._block(block, state.copy()) for block in node.blocks]
            return branches[0].join(branches[1])
        if isinstance(node.stmt, Break):
            self._leave(node, state)
            for states in self._left[-1:]:
                states.append(state.copy())
            state.ended = True
        for block in node.blocks:
            state = self._block(block, state)
        return state

    def _leave(self, node: Node, state: State) -> None:
        """What a `break` does first."""
        for name, sync, turn in node.left:
            if sync.kind is FLAG and sync.early:
                (self._set if name == "set_flag" else self._wait)(sync, state, turn)

    def _work(self, node: Node, state: State) -> None:
        """Order and record what the statement itself does, step by step."""
        for work in node.works:
            if state.pending[work.pipe]:
                self._order(node.before, node, state, work)
        for work in reversed(node.works):
            state.record(work.keys, work.before)
        if len(node.works) == 1:
            return
        for step, later in pairwise(node.works):
            # What only fills up may be left out.
            if any(not access.write for access in step.accesses):
                state.follow(step.pipe, later.pipe)

    def _order(self, place: list[Sync], node: Node, state: State, work: Work) -> None:
        """Put syncs into `place` until the work is behind all that it conflicts with."""
        while True:
            fresh = work.near[0] == self.overlaps.made_so_far
            near = work.near if fresh else self.overlaps.near(work)
            among = state.pending[work.pipe] & near[1]
            if not among:
                return
            for pipe in work.behind:
                among &= ~self.overlaps.of_pipe[pipe]
            for pipe in work.through:
                among &= state.unsure(pipe)
            if not among:
                return
            if among not in work.missing:
                work.missing[among] = self._missing(work, among)
            missing = work.missing[among]
            if missing is None:
                return
            sync = self._sync(*missing, node.stmt.span, released=not work.keys)
            place.append(sync)
            self._apply(sync, state)

    def _missing(self, work: Work, among: int) -> tuple[Access, Access] | None:
        """A conflict with accesses that are not ordered."""
        found = [(access, self.overlaps.conflicts(access, among)) for access in work.accesses]
        found = [entry for entry in found if entry[1]]
        for pipe in _ORDER[work.pipe] if found else ():
            for access, keys in found:
                for number in numbers(keys & self.overlaps.of_pipe[pipe]):
                    before = self.overlaps.access(number)
                    assert before is not None
                    return before, access
        return None

    def _sync(self, before: Access, after: Access, span: Span, released: bool) -> Sync:
        """`released`: the other core is told that it may touch what `after` stands for."""
        pair = before.pipe, after.pipe
        self._add(pair)
        verb = "writes" if after.write else "reads"
        done = "written" if before.write else "read"
        reason = (
            f"{after.pipe.value} {verb} {after.name}, {done} by {before.pipe.value}"
            if before.buffer == after.buffer
            else f"{after.pipe.value} {verb} {after.name}, whose bytes {before.name} shares"
        )
        if released:
            reason = f"{before.pipe.value} has {done} {after.name} before the other core is told"
        kind = BARRIER if before.pipe is after.pipe else FLAG
        if kind is FLAG and pair not in FLAG_PAIRS:
            kind = ALL
        loop = self._loops[-1]
        sync = Sync(kind, before.pipe, after.pipe, self.count, span, reason, after, loop)
        sync.count = self._counts.get(loop.var) if loop is not None and self._counts else None
        return sync

    def _add(self, pair: tuple[Pipe, Pipe] | None) -> None:
        if self._frozen and (pair is None or pair != self._between):
            raise _Missing
        self.count += 1
        self._changes += 1

    def answer(self, sync: Sync) -> Sync:
        """A flag back from the pipe that waits to the one that sets."""
        self.count += 1
        source, target = sync.target, sync.source
        flag = f"{source.value} has waited for the flag that {target.value} {AGAIN}"
        reason = f"{flag} ({sync.reason})"
        return Sync(FLAG, source, target, self.count, sync.span, reason)

    def _apply(self, sync: Sync, state: State) -> None:
        if sync.kind is FLAG and not sync.early:
            self._set(sync, state, 0)
        if sync.kind is FLAG:  # the guard may have made a barrier of it
            self._wait(sync, state)
        elif sync.kind is ALL:
            if any(state.pending.values()):
                self.useful.add(sync.number)
            state.barrier(_EVERY)
        else:
            before = state.pending.get(sync.target, 0)
            state.barrier(sync.target)
            # That a pipe is behind its own waits, nobody asks.
            if before & ~state.pending.get(sync.target, 0) & ~self.overlaps.all_waits:
                self.useful.add(sync.number)

    def _set(self, sync: Sync, state: State, turn: int, first: bool = False) -> None:
        """Set a flag for the iteration `turn` later. `first`: before the loop."""
        early = sync.early
        if self.guard is not None:
            before = sync.place
            self.guard(sync, state, turn, first)
            self._changes += before != sync.place
        if sync.ids > 1 and sync.loop is not None:
            self._ids.setdefault(sync.loop.var, set()).add(sync.ids)
        if sync.kind is FLAG and sync.early is early:
            state.set_flag(sync.token(turn), sync.source)

    def _set_first(self, node: Node, state: State) -> None:
        """Set the flags that the first iterations of a loop wait for."""
        for sync in node.carried:
            for turn in range(sync.ahead):
                self._set(sync, state, turn, first=True)

    def _set_early(self, syncs: Sequence[Sync], state: State) -> None:
        for sync in syncs:
            if sync.kind is FLAG and sync.early:
                self._set(sync, state, sync.ahead)

    def _wait(
        self, sync: Sync, state: State, turn: int = 0, ended: bool = False, last: bool = False
    ) -> None:
        """`ended`: nobody counts its turns any more; `last`: behind its loop."""
        token, before = sync.token(turn), state.pending[sync.target]
        state.wait_flag(token, sync.target)
        if before != state.pending[sync.target]:
            self.useful.add(sync.number)
            if not last:
                self.needed.add(sync.number)
        if sync.event >= 0:
            token = token.any() if ended else token
            wait = self.overlaps.wait(sync.source, sync.target, sync.event, token)
            # What is issued after a wait of the scalar unit comes after it on every pipe.
            state.record(wait, tuple(state.pending) if sync.target is _SCALAR else ())

    def _loop(self, node: Node, state: State) -> State:
        extent = node.stmt.extent if isinstance(node.stmt, For) else None
        if len(self._loops) > 1:
            self._inner.add(node)
        terms = self.terms(node)
        self._enter(node, state)
        state = state.renamed(terms.into) if terms.into is not None else state
        if not node.early:
            self._set_first(node, state)
        self._loops.append(node.stmt if isinstance(node.stmt, For) else None)
        self._left.append([])
        out = self._rounds(node, state, terms)
        for sync in node.carried:
            for turn in range(1, sync.ahead + 1) if sync.ends else ():
                self._wait(sync, out, turn, last=True)
        self._loops.pop()
        result = self._behind(node, (out, *self._left.pop()), terms)
        if (interval(extent)[0] or 0) < 1:
            skipped = state.renamed(terms.skipped)
            self._drain(node, skipped, 0)
            result = result.join(skipped)
        return result

    def _behind(self, node: Node, ends: Sequence[State], terms: Terms) -> State:
        """The state behind a loop that was run, of those at its ends."""
        found: list[State] = []
        for behind in self._each_turn(node, terms):
            for end in ends:
                state = end.renamed(behind)
                if behind.by is None:
                    self._settle(node, state)
                self._drain(node, state, 0 if behind.by is None else 1 - behind.by)
                # Where it is not known whose turn it is, that of the last waits is not either.
                unsure = behind.by is None and any(sync.count is None for sync in node.carried)
                found.append(state.renamed(behind.again()) if unsure else state)
        return reduce(State.join, found)

    def _each_turn(self, node: Node, terms: Terms) -> tuple[Behind, ...]:
        """The terms of the code behind a loop, by where its cycles and the ids of its flags end; where
        these are counted on through its runs, that is known."""
        if self._counts and isinstance(node.stmt, For) and node.stmt.var in self._counts:
            return (self.terms(node).behind,)
        ids = frozenset(self._ids.get(node.stmt.var, ()) if isinstance(node.stmt, For) else ())
        if (node, ids) not in self._behinds:
            self._behinds[node, ids] = in_each_turn(node, terms, ids)
        return self._behinds[node, ids]

    def _count_of(self, sync: Sync) -> int:
        """How many iterations its loop had."""
        assert sync.home is not None
        by = self.terms(sync.home).behind.by
        return 0 if by is None else 1 - by

    def _drain(self, node: Node, state: State, count: int) -> None:
        """Wait for what a loop has set for iterations that do not come. `count`: of those that did."""
        if not state.ended:
            self._note(node, state, count)
        for sync in () if state.ended else widest_first(node.carried, state):
            own = node.stmt is sync.loop and sync.count is None
            ended = sync.count is not None and node.stmt is sync.count.loops[-1]
            for turn in range(0 if sync.ends else sync.ahead):
                if not sync.keeps(turn):
                    self._wait(sync, state, turn + (count if own else 0), ended, last=True)

    def _note(self, node: Node, state: State, count: int) -> None:
        """What each of the last waits is for."""
        for sync in node.carried:
            for turn in range(sync.ahead) if sync.own else ():
                unsure = state.open.get(sync.token(turn + count), -1)
                known = self.drained.get((sync, turn), 0)
                self.drained[sync, turn] = known | state.pending[sync.target] & ~unsure

    def _settle(self, node: Node, state: State) -> None:
        """Where it is not known whose turn it is behind a loop, each id that stays set may be any."""
        if not isinstance(node.stmt, For):
            return
        kept = {sync.number for sync in node.carried}
        held = [t for t in state.open if t.var is node.stmt.var and not t.run]
        held = [token for token in held if token.flag not in kept]
        for flag in {token.flag for token in held}:
            alike = [token for token in held if token.flag == flag]
            unsure = 0
            for token in alike:
                unsure |= state.open[token]
            state.open.update(dict.fromkeys(alike, unsure))

    def _rounds(self, node: Node, state: State, terms: Terms) -> State:
        """The state at the end of the last iteration, which may be any; where they are few, that at the
        end of the last one."""
        if terms.few is not None and not node.cut:
            return self._each(node, state, terms)
        changes, known = self._changes, self._known.get(node)
        if known is not None and known.changes == changes and known.head == state:
            self._left[-1].extend(known.left)
            return known.out.copy()
        out = self._any(node, state.copy(), terms)
        if changes == self._changes:
            self._known[node] = _Round(changes, state, out.copy(), tuple(self._left[-1]))
        return out

    def _any(self, node: Node, state: State, terms: Terms) -> State:
        """Where flags are open that another loop hands on, the first iteration is told apart: what
        they vouch for, and what it finds done before the loop, the others need not know of together."""
        changes, head, left = self._changes, state, []
        one = isinstance(node.stmt, For) and node.stmt.extent == 1
        first = self._iteration(node, state) if one or _handed(node, state) else None
        if first is not None:
            if one or first.ended:
                return first
            left, head = list(self._left[-1]), first.renamed(terms.later)
        # Heads only grow within a walk: what was stable the last time is a part of what is now.
        known = self._heads.get(node)
        if known is not None and known.changes == changes:
            head = head.join(known.head)
        if known is None or known.changes != changes or known.head != head:
            known = self._stable(node, head, terms)
            if changes == self._changes:
                self._heads[node] = known
        self._left[-1][:] = [*left, *known.left]
        return known.out.copy() if first is None else first.join(known.out)

    def _stable(self, node: Node, head: State, terms: Terms) -> _Round:
        """What an iteration finds and leads to that may be any but those before the one of this head."""
        for _ in range(MAX_ROUNDS):
            self._left[-1].clear()
            out = self._iteration(node, head.copy())
            merged = head.join(out.renamed(terms.later))
            if merged == head:
                break
            head = merged
        else:
            node.tail.append(self._full_barrier(node))
        return _Round(self._changes, head, out, tuple(self._left[-1]))

    def _iteration(self, node: Node, state: State) -> State:
        """The state at its end."""
        state = self._block(node.blocks[0], state)
        self._again(node, state)
        return state

    def _each(self, node: Node, head: State, terms: Terms) -> State:
        """The state at the end of the last of few iterations."""
        changes, start, out = self._runs.get(node, (-1, head, head))
        if changes == self._changes and start == head:
            return out.copy()
        changes, start = self._changes, head
        for at in range(terms.few or 0):
            out = self._block(node.blocks[0], head.copy())
            self._again(node, out)
            before, head = head, out.renamed(terms.later)
            if at and head == before:
                break
            for inner in walk_nodes(node.blocks[0]):  # names mean other places now
                self._heads.pop(inner, None)
                self._known.pop(inner, None)
        if changes == self._changes:
            self._runs[node] = changes, start, out.copy()
        return out

    def terms(self, node: Node) -> Terms:
        """How to name things in a loop and behind it."""
        if node not in self._terms:
            self._terms[node] = terms_of(node, self.overlaps, node in self._inner)
        return self._terms[node]

    def _enter(self, node: Node, state: State) -> None:
        """What a loop only finds done before it, and never does itself, is ordered once before the
        loop instead of in every iteration."""
        if node not in self._inside:
            self._inside[node] = list(taken_in(node, self.overlaps, self.terms(node)))
        for work in self._inside[node]:
            if state.pending[work.pipe]:
                self._order(node.before, node, state, work)

    def _again(self, node: Node, state: State) -> None:
        """The end of an iteration, where a loop evaluates its condition once more."""
        for sync in node.tail:
            self._apply(sync, state)
        for work in node.works:
            self._order(node.tail, node, state, work)
            state.record(work.keys, (work.pipe,))

    def _full_barrier(self, node: Node) -> Sync:
        self._add(None)
        reason = "the order of iterations could not be settled"
        return Sync(ALL, Pipe.ALL, Pipe.ALL, self.count, node.stmt.span, reason)


def _handed(loop: Node, state: State) -> bool:
    """True where flags are set that a loop waits for, and that other loops hand on."""
    own = {sync.number for sync in loop.carried}
    others = {token.flag for token in state.open if token.flag not in own}
    return bool(others) and any(
        sync.number in others for node in walk_nodes(loop.blocks[0]) for sync in node.before
    )
