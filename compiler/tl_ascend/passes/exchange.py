"""Which tensors in GM the two cores hand to each other, and where.

The cores run at the same time, so the text does not order a write of one and a read of the other.
What orders them is that both happen equally often: the n-th hand-over of the writer is the n-th of
the reader. A hand-over is one access, or a run of accesses of one kind; it lies in as many loops on
each side as give the same number of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Var, free_vars
from tl_ascend.ir.nodes import (
    Block,
    Break,
    Buffer,
    CoreScope,
    For,
    If,
    Kernel,
    Stmt,
    TileOp,
    While,
    blocks_of,
    exprs_of,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Core, Memory, Pipe

Count = tuple[int, frozenset[tuple[Any, int]]]
Address = tuple[int, ...]  # index, branch, index, branch, ..., index


@dataclass(frozen=True, slots=True)
class Around:
    """A statement that another one is nested in: its place in its block, and which of its blocks."""

    index: int
    branch: int
    stmt: Stmt


@dataclass(frozen=True, slots=True)
class Site:
    """An access to a tensor in GM. `trail`: from the outermost statement around it inwards."""

    core: Core
    buffer: Buffer
    write: bool
    pipe: Pipe
    trail: tuple[Around, ...]
    index: int
    stmt: TileOp

    def address(self, depth: int) -> Address:
        """Of the statement at this depth that is or contains the access."""
        steps = [n for around in self.trail[:depth] for n in (around.index, around.branch)]
        return (*steps, self.trail[depth].index if depth < len(self.trail) else self.index)


@dataclass(frozen=True, slots=True)
class Half:
    """One side of a hand-over: from before `first` to behind `last`."""

    first: Site
    last: Site
    depth: int
    pipes: frozenset[Pipe]


@dataclass(frozen=True, slots=True)
class HandOver:
    """`often`: it may happen more than once."""

    buffer: Buffer
    writer: Half
    reader: Half
    often: bool


def sites(kernel: Kernel) -> list[Site]:
    """All accesses to tensors in GM by device calls of a known core, in order of the text."""
    return list(_sites(kernel.body, (), Core.ANY, kernel))


def _sites(block: Block, trail: tuple[Around, ...], core: Core, kernel: Kernel) -> Iterator[Site]:
    for index, stmt in enumerate(block):
        if isinstance(stmt, TileOp) and core is not Core.ANY:
            for step in effect_of(stmt).steps:
                for write, regions in ((False, step.reads), (True, step.writes)):
                    for region in regions:
                        if kernel.memory(region.buffer) is Memory.GM:
                            buffer = root(region.buffer)
                            yield Site(core, buffer, write, step.pipe, trail, index, stmt)
        for branch, inner in enumerate(blocks_of(stmt)):
            scope = stmt.core if isinstance(stmt, CoreScope) else core
            yield from _sites(inner, (*trail, Around(index, branch, stmt)), scope, kernel)


@dataclass(frozen=True, slots=True)
class Exchange:
    """All hand-overs of one tensor, in order. None where the two sides do not match."""

    buffer: Buffer
    hand_overs: tuple[HandOver, ...] | None
    first: Site


def exchanges(kernel: Kernel) -> list[Exchange]:
    """The tensors that one core writes and the other reads, by name."""
    found: dict[int, list[Site]] = {}
    for site in sites(kernel):
        found.setdefault(site.buffer.uid, []).append(site)
    core = None if kernel.launch is None else kernel.launch.subblock
    result = []
    for group in sorted(found.values(), key=lambda group: _natural(group[0].buffer.name)):
        sides = [[s for s in group if s.core is core] for core in (Core.CUBE, Core.VECTOR)]
        reads = [any(not s.write for s in side) for side in sides]
        writes = [any(s.write for s in side) for side in sides]
        if (writes[0] and reads[1]) or (writes[1] and reads[0]):
            pairs = _pairs(*_relevant(sides, writes), core)
            result.append(Exchange(group[0].buffer, pairs, group[0]))
    return result


def _natural(name: str) -> tuple[int, str]:
    return len(name), name


def _relevant(sides: list[list[Site]], writes: list[bool]) -> tuple[list[Site], list[Site]]:
    """Where only one core writes, what it reads itself is no matter of the other."""
    cube, vector = sides
    if all(writes):
        return cube, vector
    return [s for s in cube if s.write is writes[0]], [s for s in vector if s.write is writes[1]]


def _pairs(
    cube: Sequence[Site], vector: Sequence[Site], core: Var | None
) -> tuple[HandOver, ...] | None:
    for group in (_each, _runs):
        one, other = group(cube), group(vector)
        kinds = [(a[0].write, b[0].write) for a, b in zip(one, other, strict=False)]
        if one and len(one) == len(other) and all(a is not b for a, b in kinds):
            return tuple(_hand_over(a, b, core) for a, b in zip(one, other, strict=True))
    return None


def _each(sites: Sequence[Site]) -> list[list[Site]]:
    return [[site] for site in sites]


def _runs(sites: Sequence[Site]) -> list[list[Site]]:
    return [list(run) for _, run in groupby(sites, lambda site: site.write)]


def _hand_over(one: list[Site], other: list[Site], core: Var | None) -> HandOver:
    """At the deepest pair of places that are passed equally often."""
    best: tuple[int, int, int] | None = None
    many = False
    for a in _depths(one, core):
        count = _count(one[0].trail[:a])
        for b in _depths(other, core):
            if count == _count(other[0].trail[:b]) and (best is None or a + b >= best[0]):
                best, many = (a + b, a, b), count != _count(())
    assert best is not None
    halves = _half(one, best[1]), _half(other, best[2])
    writer, reader = halves if one[0].write else halves[::-1]
    return HandOver(one[0].buffer, writer, reader, many)


def _half(run: list[Site], depth: int) -> Half:
    return Half(run[0], run[-1], depth, frozenset(site.pipe for site in run))


def _depths(run: list[Site], core: Var | None) -> range:
    """Depths inside the core's scope that all sites share, outside of what only one vector core
    may run."""
    trail = run[0].trail
    low = 1 + max(at for at, step in enumerate(trail) if isinstance(step.stmt, CoreScope))
    high = low
    while high < len(trail) and all(_same(s.trail, trail, high) for s in run):
        values = exprs_of(trail[high].stmt)
        if core is not None and any(core in free_vars(value) for value in values):
            break
        high += 1
    return range(low, high + 1)


def _same(one: tuple[Around, ...], other: tuple[Around, ...], at: int) -> bool:
    if at >= len(one):
        return False
    return (one[at].index, one[at].branch) == (other[at].index, other[at].branch)


def _count(trail: Sequence[Around]) -> Count:
    """How often the code inside is run: a number, and what only the device knows."""
    number, rest = 1, Counter[Any]()
    for around in trail:
        stmt = around.stmt
        if isinstance(stmt, For):
            leaves = any(isinstance(inner, Break) for inner in walk_stmts(stmt.body))
            if isinstance(stmt.extent, int) and not leaves:
                number *= stmt.extent
            else:
                rest["loop", stmt.extent, stmt.var.uid if leaves else 0] += 1
        elif isinstance(stmt, If):
            rest["if", stmt.condition, around.branch] += 1
        elif isinstance(stmt, While):
            rest["while", stmt.condition, 0] += 1
    return number, frozenset(rest.items())
