"""Take out barriers of one pipe behind which, on every way, another one stands before its next work.

Such a one appears where what lies before a loop is ordered once, and the loop needs a barrier of that
pipe in each iteration anyway. A barrier orders a pipe among itself only: what flags say stays true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tl_ascend.ir.nodes import Break, For, TileOp, While
from tl_ascend.passes.sync_tree import ALL, BARRIER, Node, Sync
from tl_ascend.target.hardware import Pipe

Pipes = frozenset[Pipe]
NONE: Pipes = frozenset()


def drop_spare(nodes: Sequence[Node]) -> None:
    """Take out the barriers that others do for."""
    search = _Search()
    search.block(nodes, NONE)
    spare = search.seen - search.needed
    _drop(nodes, spare)


def _drop(nodes: Sequence[Node], spare: set[int]) -> None:
    for node in nodes:
        for place in (node.before, node.tail):
            place[:] = [sync for sync in place if sync.number not in spare]
        for block in node.blocks:
            _drop(block, spare)


@dataclass(slots=True)
class _Search:
    """Against the order of the code, with the pipes that have work before they have a barrier.
    `seen`: barriers, by number; `needed`: those before such work; `left`: what a `break` leads to."""

    seen: set[int] = field(default_factory=set)
    needed: set[int] = field(default_factory=set)
    left: list[Pipes] = field(default_factory=list)

    def block(self, nodes: Sequence[Node], coming: Pipes) -> Pipes:
        for node in reversed(nodes):
            coming = self._node(node, coming)
        return coming

    def _node(self, node: Node, coming: Pipes) -> Pipes:
        stmt = node.stmt
        if isinstance(stmt, (For, While)):
            coming = self._loop(node, coming)
        elif isinstance(stmt, Break):
            coming = self.left[-1] if self.left else NONE
        elif len(node.blocks) > 1:
            coming = NONE.union(*(self.block(block, coming) for block in node.blocks))
        elif node.blocks:
            coming = self.block(node.blocks[0], coming)
        elif isinstance(stmt, TileOp) and stmt.op in ("pipe_barrier", "barrier_all"):
            names = [str(arg).upper() for arg in stmt.args[:1]] or ["ALL"]
            coming = NONE if names == ["ALL"] else coming - {p for p in Pipe if p.value in names}
        if node.works:
            coming = coming.union([work.pipe for work in node.works])
        return self._syncs(node.before, coming) if node.before else coming

    def _loop(self, node: Node, coming: Pipes) -> Pipes:
        """Until an iteration adds nothing to what comes behind the one before."""
        (body,) = node.blocks
        self.left.append(coming)
        first = NONE
        while True:
            end = coming.union(first, (work.pipe for work in node.works))
            found = self.block(body, self._syncs(node.tail, end))
            if found <= first:
                break
            first |= found
        self.left.pop()
        extent = node.stmt.extent if isinstance(node.stmt, For) else None
        return first if isinstance(extent, int) and extent > 0 else first | coming

    def _syncs(self, syncs: Sequence[Sync], coming: Pipes) -> Pipes:
        for sync in reversed(syncs):
            if sync.kind is ALL:
                coming = NONE
            elif sync.kind is BARRIER:
                self.seen.add(sync.number)
                if sync.target in coming:
                    self.needed.add(sync.number)
                    coming -= {sync.target}
        return coming
