"""The code of one core with the synchronisation that is being added to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Block, Break, CoreScope, Stmt, blocks_of
from tl_ascend.passes.sync_access import Overlaps, Work
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Pipe


class Kind(Enum):
    """A flag joins two pipes, a barrier orders one, ALL orders everything."""

    FLAG = "flag"
    BARRIER = "barrier"
    ALL = "all"


@dataclass(slots=True, eq=False)
class Sync:
    """One addition. `early`: its set stands behind a producer, not beside the wait. `event` is -1
    until ids are given, `banned` are the ids that failed."""

    kind: Kind
    source: Pipe
    target: Pipe
    number: int
    span: Span
    reason: str
    early: bool = False
    event: int = -1
    banned: set[int] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class Node:
    """A statement with its work, pipe by pipe, and with what is put before and behind it.
    `tail`: at the end of its body, where a loop evaluates its condition once more. `inside`: the set
    of its accesses and of those nested in it; `leaves`: True where there is a way out of the block."""

    stmt: Stmt
    works: list[Work]
    blocks: list[list[Node]]
    inside: int
    leaves: bool
    before: list[Sync] = field(default_factory=list)
    after: list[Sync] = field(default_factory=list)
    tail: list[Sync] = field(default_factory=list)


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


def hoist(nodes: Sequence[Node], overlaps: Overlaps) -> bool:
    """Move sets up to behind their last producer in the same block. True where any moved."""
    moved = False
    for at, node in enumerate(nodes):
        for sync in node.before:
            if sync.kind is Kind.FLAG and not sync.early:
                producer = _producer(nodes[:at], node, sync, overlaps)
                if producer is not None:
                    sync.early = moved = True
                    producer.after.append(sync)
        for block in node.blocks:
            moved = hoist(block, overlaps) or moved
    return moved


def _producer(
    earlier: Sequence[Node], consumer: Node, sync: Sync, overlaps: Overlaps
) -> Node | None:
    """The last statement before the consumer that conflicts with it on the source pipe. None where
    it is the direct neighbour, or not in this block."""
    wanted = [a for work in consumer.works if work.pipe is sync.target for a in work.accesses]
    source = overlaps.of_pipe[sync.source]
    for distance, node in enumerate(reversed(earlier)):
        if any(overlaps.conflicts(access, node.inside & source) for access in wanted):
            return node if distance else None
        # A way out of the block between set and wait would leave the flag set.
        if node.leaves:
            return None
    return None
