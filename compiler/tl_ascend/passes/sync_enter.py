"""What a loop finds done before it and can have ordered once, before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from tl_ascend.ir.affine import interval
from tl_ascend.ir.nodes import For, TileOp
from tl_ascend.passes.sync_access import Access, Overlaps, Work
from tl_ascend.passes.sync_model import PIPES
from tl_ascend.passes.sync_terms import Terms
from tl_ascend.passes.sync_tree import Node, walk_nodes
from tl_ascend.target.hardware import Pipe

Statements = Sequence[Sequence[Work]]


def taken_in(node: Node, overlaps: Overlaps, terms: Terms) -> Iterator[Work]:
    """The accesses inside a loop, each behind the pipes that are ordered inside it. Its condition is
    evaluated inside, too."""
    inside = [inner.works for inner in walk_nodes(node.blocks[0])]
    always = set(_always([node]))
    sure = [inner in always for inner in walk_nodes(node.blocks[0])]
    works = [work for statement in inside for work in statement]
    works.sort(key=lambda work: work.keys != 0)  # what counts decides about equal accesses
    found = {access: work.behind for work in works for access in work.accesses}
    statements = [node.works, *inside]
    ordering = _Ordering(overlaps, terms, statements, [False, *sure], *_earlier(statements))
    ordered, awaited = ordering.pipes(list(found)), ordering.awaited(list(found))
    alike: dict[tuple[Pipe, frozenset[Pipe], frozenset[Pipe]], list[Access]] = {}
    for access, behind in found.items():
        pipes = frozenset((*behind, *ordered[access]))
        alike.setdefault((access.pipe, pipes, awaited[access]), []).append(access)
    for (pipe, *others), accesses in alike.items():
        behind, through = (tuple(p for p in PIPES if p in pipes) for pipes in others)
        yield Work(pipe, tuple(accesses), behind, through=through)


def _always(nodes: Sequence[Node]) -> Iterator[Node]:
    """What is run whenever a block is."""
    for node in nodes:
        if isinstance(node.stmt, TileOp):
            yield node
        elif (
            isinstance(node.stmt, For) and not node.cut and (interval(node.stmt.extent)[0] or 0) > 0
        ):
            yield from _always(node.blocks[0])


@dataclass(frozen=True, slots=True)
class _Ordering:
    """`always`: which of the statements each iteration runs; `at`: where each access is first;
    `earlier`: what is done before each of the statements, and in all."""

    overlaps: Overlaps
    terms: Terms
    statements: Statements
    always: Sequence[bool]
    at: dict[Access, int]
    earlier: list[int]
    known: dict[int, frozenset[Pipe]] = field(default_factory=dict)  # the pipes of sets of accesses

    def pipes(self, accesses: Sequence[Access]) -> dict[Access, set[Pipe]]:
        """The pipes that an access in a loop waits for inside it, for what earlier statements do or
        any in an earlier iteration. Where its own pipe does the like in the loop, it is behind that,
        too, if its statement or one before it waits for a pipe that waits for that one."""
        at, earlier = self.at, self.earlier
        before, within = self.terms.before(earlier[-1]), self.terms.within(earlier[-1])
        found: dict[Access, set[Pipe]] = {}
        beside = self._beside(earlier)
        for access in accesses:
            own, done = self.overlaps.of_pipe[access.pipe], earlier[at[access]]
            waits = self._waits(access, before & ~own | within & own | done)
            found[access] = {*waits, *beside.get(access, ())}
        back = {(a.pipe, pipe) for a, pipes in found.items() for pipe in pipes}
        since: dict[Pipe, int] = {}  # the first statement in which a pipe waits for such a one
        for access, pipes in found.items():
            if any((pipe, access.pipe) in back for pipe in pipes - {access.pipe}):
                known = since.get(access.pipe, at[access])
                since[access.pipe] = min(known, at[access])
        for access, pipes in found.items():
            own = (within | earlier[-1]) & self.overlaps.of_pipe[access.pipe]
            if at[access] >= since.get(access.pipe, len(earlier)):
                pipes |= self._waits(access, own)
        return found

    def _beside(self, earlier: list[int]) -> dict[Access, set[Pipe]]:
        """The pipes that each statement with an access waits for anyway, for what is done earlier in the
        iteration: what they did before the loop was done before that."""
        found: dict[Access, set[Pipe]] = {}
        for done, statement in zip(earlier, self.statements, strict=False):
            for work in statement:
                met = [self._waits(access, done) for access in work.accesses]
                for access in work.accesses:
                    found[access] = found.get(access, set(PIPES)).intersection(set().union(*met))
        return found

    def awaited(self, accesses: Sequence[Access]) -> dict[Access, frozenset[Pipe]]:
        """The pipes that each iteration waits for before an access in any case, for what they do in it:
        what these are behind when the loop begins, the access is behind, too. For elements that the
        scalar unit has read nothing waits."""
        first: dict[tuple[Pipe, Pipe], int] = {}
        done = 0
        for number, statement in enumerate(self.statements):
            for work in statement if self.always[number] else ():
                others = done & ~self.overlaps.of_pipe[work.pipe] & ~self.overlaps.of_pipe[Pipe.S]
                for access in work.accesses if others else ():
                    for pipe in self._waits(access, others):
                        first.setdefault((work.pipe, pipe), number)
            done = reduce(or_, (w.keys for w in statement if self.always[number]), done)
        return {
            access: frozenset(
                other
                for (pipe, other), number in first.items()
                if pipe is access.pipe and self.at[access] >= number
            )
            for access in accesses
        }

    def _waits(self, access: Access, keys: int) -> frozenset[Pipe]:
        met = self.overlaps.conflicts(access, keys)
        known = self.known.get(met)
        if known is None:
            known = frozenset(pipe for pipe in PIPES if met & self.overlaps.of_pipe[pipe])
            self.known[met] = known
        return known


def _earlier(statements: Statements) -> tuple[dict[Access, int], list[int]]:
    """Where each access is first, and what is done before each of the statements, and in all."""
    at: dict[Access, int] = {}
    done = [0]
    for number, statement in enumerate(statements):
        for work in statement:
            for access in work.accesses:
                at.setdefault(access, number)
        done.append(reduce(or_, (work.keys for work in statement), done[-1]))
    return at, done
