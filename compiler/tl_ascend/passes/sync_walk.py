"""Walk the code of one core and find what is not ordered yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tl_ascend.ir.expr import Var
from tl_ascend.ir.nodes import Break, For, If, Let, TileOp, While
from tl_ascend.passes.sync_access import Access, Overlaps, Work, numbers
from tl_ascend.passes.sync_model import PIPES, Rename, State, earlier
from tl_ascend.passes.sync_tree import Kind, Node, Sync, walk_nodes
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import FLAG_PAIRS, Pipe

# A loop's state grows by joining, so it becomes stable; this bounds what a bug could cost.
MAX_ROUNDS = 64
# Flags before barriers: for work on a pipe, the other pipes come first.
_ORDER = {pipe: (*(p for p in PIPES if p is not pipe), pipe) for pipe in Pipe}

Guard = Callable[[Sync, State], None]


class Walker:
    """`guard` is asked at each set of a flag, with the state there (used to give ids)."""

    def __init__(self, overlaps: Overlaps) -> None:
        self.overlaps = overlaps
        self.guard: Guard | None = None
        self._count = 0
        self._inside: dict[Node, list[Work]] = {}
        self._renames: dict[Node, tuple[Rename, Rename]] = {}
        self._left: list[list[State]] = []  # states at a break, one list a loop around

    def cover(self, nodes: Sequence[Node]) -> None:
        """Add to the tree whatever is missing."""
        self._block(nodes, State(self.overlaps))

    def _block(self, nodes: Sequence[Node], state: State) -> State:
        for node in nodes:
            state = self._node(node, state)
        return state

    def _node(self, node: Node, state: State) -> State:
        for sync in node.before:
            self._apply(sync, state)
        self._work(node, state)
        if isinstance(node.stmt, (For, While)):
            state = self._loop(node, state)
        elif isinstance(node.stmt, If):
            branches = [self._block(block, state.copy()) for block in node.blocks]
            state = branches[0].join(branches[1])
        elif isinstance(node.stmt, Break):
            for states in self._left[-1:]:
                states.append(state.copy())
        else:
            for block in node.blocks:
                state = self._block(block, state)
        for sync in node.after:
            self._set(sync, state)
        return state

    def _work(self, node: Node, state: State) -> None:
        """Order and record what the statement itself does, step by step."""
        for work in node.works:
            self._order(node.before, node, state, work)
        # The steps of one call follow each other by the call's own flags.
        later: tuple[Pipe, ...] = ()
        for work in reversed(node.works):
            own = (Pipe.S,) if work.pipe is Pipe.S else ()
            state.record(work.keys, behind=(*later, *own))
            later = (*later, work.pipe)
        if isinstance(node.stmt, TileOp):
            _barriers(node.stmt, state)

    def _order(self, place: list[Sync], node: Node, state: State, work: Work) -> None:
        """Put syncs into `place` until the work is behind all that it conflicts with."""
        while True:
            among = state.pending.get(work.pipe, 0)
            for pipe in work.behind:
                among &= ~self.overlaps.of_pipe[pipe]
            if among not in work.missing:
                work.missing[among] = self._missing(work, among)
            missing = work.missing[among]
            if missing is None:
                return
            sync = self._sync(*missing, node.stmt.span)
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

    def _sync(self, before: Access, after: Access, span: Span) -> Sync:
        self._count += 1
        verb = "writes" if after.write else "reads"
        done = "written" if before.write else "read"
        reason = (
            f"{after.pipe.value} {verb} {after.name}, {done} by {before.pipe.value}"
            if before.buffer == after.buffer
            else f"{after.pipe.value} {verb} {after.name}, whose bytes {before.name} shares"
        )
        kind = Kind.BARRIER if before.pipe is after.pipe else Kind.FLAG
        if kind is Kind.FLAG and (before.pipe, after.pipe) not in FLAG_PAIRS:
            kind = Kind.ALL
        return Sync(kind, before.pipe, after.pipe, self._count, span, reason)

    def _apply(self, sync: Sync, state: State) -> None:
        if sync.kind is Kind.FLAG and not sync.early:
            self._set(sync, state)
        if sync.kind is Kind.FLAG:  # the guard may have made a barrier of it
            state.wait_flag(sync.number, sync.target)
            if sync.event >= 0:
                state.record(self.overlaps.wait(sync.source, sync.target, sync.event, sync.number))
        else:
            state.barrier(Pipe.ALL if sync.kind is Kind.ALL else sync.target)

    def _set(self, sync: Sync, state: State) -> None:
        if sync.kind is Kind.FLAG and self.guard is not None:
            self.guard(sync, state)
        if sync.kind is Kind.FLAG:
            state.set_flag(sync.number, sync.source)

    def _loop(self, node: Node, state: State) -> State:
        (body,) = node.blocks
        extent = node.stmt.extent if isinstance(node.stmt, For) else None
        if node not in self._renames:
            self._renames[node] = _renames(node, self.overlaps)
        behind, past = self._renames[node]
        self._enter(node, state)
        head = state
        self._left.append([])
        for _ in range(MAX_ROUNDS):
            self._left[-1].clear()
            out = self._block(body, head.copy())
            self._again(node, out)
            merged = head.join(out.renamed(past))
            if merged.pending == head.pending or extent == 1:
                break
            head = merged
        else:
            node.tail.append(self._full_barrier(node))
        ends = [end.renamed(behind) for end in (out, *self._left.pop())]
        if not (isinstance(extent, int) and extent > 0):
            ends.append(state)
        result = ends[0]
        for end in ends[1:]:
            result = result.join(end)
        return result

    def _enter(self, node: Node, state: State) -> None:
        """What a loop only finds done before it, and never does itself, is ordered once before the
        loop instead of in every iteration."""
        if node not in self._inside:
            self._inside[node] = list(self._taken_in(node))
        for work in self._inside[node]:
            self._order(node.before, node, state, work)

    def _taken_in(self, node: Node) -> Iterator[Work]:
        """The accesses inside a loop, each behind the pipes that are ordered inside it."""
        works = [work for inner in walk_nodes(node.blocks[0]) for work in inner.works]
        found = {access: work.behind for work in works for access in work.accesses}
        inside = 0
        for access in found:
            inside |= access.bit
        for access, behind in found.items():
            own = self.overlaps.conflicts(access, inside)
            ordered = (pipe for pipe in PIPES if own & self.overlaps.of_pipe[pipe])
            yield Work(access.pipe, (access,), (*behind, *ordered))

    def _again(self, node: Node, state: State) -> None:
        """The end of an iteration, where a loop evaluates its condition once more."""
        for sync in node.tail:
            self._apply(sync, state)
        for work in node.works:
            self._order(node.tail, node, state, work)
            state.record(work.keys, behind=(work.pipe,))

    def _full_barrier(self, node: Node) -> Sync:
        self._count += 1
        reason = "the order of iterations could not be settled"
        return Sync(Kind.ALL, Pipe.ALL, Pipe.ALL, self._count, node.stmt.span, reason)


def _renames(node: Node, overlaps: Overlaps) -> tuple[Rename, Rename]:
    """How to name things behind the loop, and in its next iteration."""
    bound: set[Var] = set()
    for inner in walk_nodes(node.blocks[0]):
        if isinstance(inner.stmt, (For, Let)):
            bound.add(inner.stmt.var)
    names = frozenset(bound)
    if not isinstance(node.stmt, For):
        forget = Rename(overlaps, names)
        return forget, forget
    var = node.stmt.var
    return Rename(overlaps, names, var), Rename(overlaps, names, var, earlier(var))


def _barriers(op: TileOp, state: State) -> None:
    """The author's barriers count; their flags are not relied upon."""
    if op.op == "barrier_all":
        state.barrier(Pipe.ALL)
    elif op.op == "pipe_barrier":
        for pipe in Pipe:
            if pipe.value == str(op.args[0]).upper():
                state.barrier(pipe)
