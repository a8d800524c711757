"""The code of one core with the synchronisation that is being added to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Block, Break, CoreScope, Stmt, blocks_of
from tl_ascend.passes.sync_access import Access, Overlaps, Work
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Pipe

# In the reasons of calls that themselves keep no two accesses in order: the two ends of a flag that is
# handed from one iteration to the next, and a flag that answers another.
FIRST = "for the first iteration"
LAST = "behind the last iteration"
AGAIN = "is going to set again"


class Kind(Enum):
    """A flag joins two pipes, a barrier orders one, ALL orders everything."""

    FLAG = "flag"
    BARRIER = "barrier"
    ALL = "all"


@dataclass(slots=True, eq=False)
class Sync:
    """One addition, for the sake of the access `wanted`. `early`: its set stands behind a producer,
    not beside the wait; `carried`: that producer is in the iteration before, so that one set stands
    before the loop and one wait behind it. `event` is -1 until ids are given, `banned` are the ids
    that failed."""

    kind: Kind
    source: Pipe
    target: Pipe
    number: int
    span: Span
    reason: str
    wanted: Access | None = None
    early: bool = False
    carried: bool = False
    event: int = -1
    banned: set[int] = field(default_factory=set)

    def beside(self) -> None:
        """Set the flag right before the wait after all."""
        self.early = self.carried = False
        self.event = -1
        self.banned.clear()


@dataclass(slots=True, eq=False)
class Node:
    """A statement with its work, pipe by pipe, and with what is put before and behind it.
    `tail`: at the end of its body, where a loop evaluates its condition once more. `carried`: flags
    that a loop hands from one iteration to the next. `inside`: the set of its accesses and of those
    nested in it; `leaves`: True where there is a way out of the block."""

    stmt: Stmt
    works: list[Work]
    blocks: list[list[Node]]
    inside: int
    leaves: bool
    before: list[Sync] = field(default_factory=list)
    after: list[Sync] = field(default_factory=list)
    tail: list[Sync] = field(default_factory=list)
    carried: list[Sync] = field(default_factory=list)


def build_tree(block: Block, overlaps: Overlaps) -> list[Node]:
    """Nodes of a block."""
    return [_node(stmt, overlaps) for stmt in block]


def _node(stmt: Stmt, overlaps: Overlaps) -> Node:
    works = overlaps.works(effect_of(stmt))
    blocks = [build_tree(inner, overlaps) for inner in blocks_of(stmt)]
    inside, leaves = 0, isinstance(stmt, (Break, CoreScope))
    for part in works:
        inside |= part.keys
    for node in (node for inner in blocks for node in inner):
        inside |= node.inside
        leaves = leaves or node.leaves
    return Node(stmt, works, blocks, inside, leaves)


def walk_nodes(nodes: Sequence[Node]) -> Iterator[Node]:
    """All nodes, outer before inner."""
    for node in nodes:
        yield node
        for block in node.blocks:
            yield from walk_nodes(block)
