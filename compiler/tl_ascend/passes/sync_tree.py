"""The code of one core with the synchronisation that is being added to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from tl_ascend.ir.effects import Effect, effect_of
from tl_ascend.ir.nodes import Block, Break, CoreScope, Stmt, blocks_of
from tl_ascend.passes.sync_model import Access, Overlaps, accesses
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
    """A statement with what is put before and behind it. `tail`: at the end of its body, where a
    loop evaluates its condition once more."""

    number: int
    stmt: Stmt
    effect: Effect
    blocks: list[list[Node]]
    before: list[Sync] = field(default_factory=list)
    after: list[Sync] = field(default_factory=list)
    tail: list[Sync] = field(default_factory=list)


def build_tree(block: Block) -> list[Node]:
    """Nodes of a block, numbered in source order."""
    count = [0]

    def go(part: Block) -> list[Node]:
        nodes = []
        for stmt in part:
            count[0] += 1
            node = Node(count[0], stmt, effect_of(stmt), [])
            node.blocks = [go(inner) for inner in blocks_of(stmt)]
            nodes.append(node)
        return nodes

    return go(block)


def walk_nodes(nodes: Sequence[Node]) -> Iterator[Node]:
    """All nodes, outer before inner."""
    for node in nodes:
        yield node
        for block in node.blocks:
            yield from walk_nodes(block)


def node_accesses(node: Node, overlaps: Overlaps) -> list[Access]:
    """What a statement itself touches, its scalars first."""
    found = list(accesses(overlaps, Pipe.S, node.effect.scalars, ()))
    for step in node.effect.steps:
        found.extend(accesses(overlaps, step.pipe, step.reads, step.writes))
    return found


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
    wanted = [a for a in node_accesses(consumer, overlaps) if a.pipe is sync.target]
    for distance, node in enumerate(reversed(earlier)):
        inside = list(walk_nodes([node]))
        made = [a for n in inside for a in node_accesses(n, overlaps) if a.pipe is sync.source]
        if any(overlaps.conflict(a, b) for a in made for b in wanted):
            return node if distance else None
        # A way out of the block between set and wait would leave the flag set.
        if any(isinstance(n.stmt, (Break, CoreScope)) for n in inside):
            return None
    return None
