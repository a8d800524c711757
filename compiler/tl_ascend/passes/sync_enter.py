"""What a loop finds done before it and can have ordered once, before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    works = [work for statement in inside for work in statement]
    works.sort(key=lambda work: work.keys != 0)  # what counts decides about equal accesses
    found = {access: work.behind for work in works for access in work.accesses}
    ordering = _Ordering(overlaps, terms, [node.works, *inside])
    ordered = ordering.pipes(list(found))
    alike: dict[tuple[Pipe, frozenset[Pipe]], list[Access]] = {}
    for access, behind in found.items():
        pipes = frozenset((*behind, *ordered[access]))
        alike.setdefault((access.pipe, pipes), []).append(access)
    for (pipe, pipes), accesses in alike.items():
        yield Work(pipe, tuple(accesses), tuple(p for p in PIPES if p in pipes))


@dataclass(frozen=True, slots=True)
class _Ordering:
    overlaps: Overlaps
    terms: Terms
    statements: Statements

    def pipes(self, accesses: Sequence[Access]) -> dict[Access, set[Pipe]]:
        """The pipes that an access in a loop is ordered with inside it. A pipe whose calls there wait
        for nothing is not ordered: what it finds done before the loop needs one barrier there."""
        every = _keys(self.statements)
        others, before = _others(self.statements), self.terms.before(every)
        waiting = {
            access.pipe
            for access in accesses
            if self.overlaps.conflicts(access, before | others[access])
        }
        inside = self._in_cycle(every)
        found: dict[Access, set[Pipe]] = {}
        for access in accesses:
            own = self.overlaps.conflicts(access, inside)
            found[access] = {
                pipe
                for pipe in PIPES
                if own & self.overlaps.of_pipe[pipe]
                if pipe is not access.pipe or pipe in waiting
            }
        return found

    def _in_cycle(self, inside: int) -> int:
        """What a loop does, in the terms of any of its iterations."""
        part = inside
        for _ in range(1, self.terms.cycle):
            part = self.terms.later.keys(part)
            inside |= part
        return inside


def _keys(statements: Statements) -> int:
    found = 0
    for statement in statements:
        for work in statement:
            found |= work.keys
    return found


def _others(statements: Statements) -> dict[Access, int]:
    """What other statements than its own do, for each access; all, for one of several statements."""
    of: dict[Access, set[int]] = {}
    for at, statement in enumerate(statements):
        for work in statement:
            for access in work.accesses:
                of.setdefault(access, set()).add(at)
    first, last = [0], [0]
    for one, other in zip(statements, reversed(statements), strict=True):
        first.append(first[-1] | _keys([one]))
        last.append(last[-1] | _keys([other]))
    found: dict[Access, int] = {}
    for access, places in of.items():
        at = min(places)
        alone = len(places) == 1
        found[access] = first[at] | last[len(statements) - 1 - at] if alone else first[-1]
    return found
