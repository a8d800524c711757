"""Which tensors in GM the two cores hand to each other, and where they touch them.

The cores run at the same time, so the text does not order a write of one and a read of the other.
An access is a tile operation, an element store, or an element that the scalar unit reads for a
condition, an index, a bound or a variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import (
    Block,
    Break,
    Buffer,
    CoreScope,
    Kernel,
    Region,
    Stmt,
    Store,
    TileOp,
    blocks_of,
    within,
)
from tl_ascend.ir.phases import left_out_first
from tl_ascend.ir.storage import root
from tl_ascend.passes.split_cores import SEQUENCE
from tl_ascend.target.hardware import Core, Memory, Pipe

Address = tuple[int, ...]  # index, branch, index, branch, ..., index
SIDES = (Core.CUBE, Core.VECTOR)


def other(core: Core) -> Core:
    """The other side."""
    return SIDES[1 - SIDES.index(core)]


@dataclass(frozen=True, slots=True)
class Around:
    """A statement that another one is nested in: its place in its block, and which of its blocks."""

    index: int
    branch: int
    stmt: Stmt


@dataclass(frozen=True, slots=True)
class Site:
    """An access to a tensor in GM; without a region it is a way out of a loop. `trail`: from the
    outermost statement around it inwards. `point`: where the text has it that both cores come
    from; empty where each core has a text of its own."""

    core: Core
    region: Region | None
    write: bool
    pipe: Pipe
    trail: tuple[Around, ...]
    index: int
    stmt: Stmt
    point: Address = ()

    @property
    def buffer(self) -> Buffer:
        assert self.region is not None
        return root(self.region.buffer)

    def address(self, depth: int) -> Address:
        """Of the statement at this depth that is or contains the access."""
        steps = [n for around in self.trail[:depth] for n in (around.index, around.branch)]
        return (*steps, self.trail[depth].index if depth < len(self.trail) else self.index)


@dataclass(frozen=True, slots=True)
class Exchange:
    """The tensors whose order is kept by the same flags: one, as long as there are enough of them.
    `sites`: what matters of their accesses, in order of the text."""

    buffers: tuple[Buffer, ...]
    sites: tuple[Site, ...]

    @property
    def name(self) -> str:
        return ", ".join(buffer.name for buffer in self.buffers)

    @property
    def read_first(self) -> bool:
        """True where the text of both cores has a read before all writes, by one core: what is read
        is written by the other one nevertheless, as each core's part of the text is meant alone. A
        read that the first iteration leaves out takes what the iteration before has written."""
        first = in_order(self.sites)[0]
        if left_out_first((around.stmt, around.branch) for around in first.trail):
            return False
        return not first.write and len({site.core for site in self.sites if site.write}) == 1

    def of(self, core: Core) -> list[Site]:
        return [site for site in self.sites if site.core is core]

    def joined(self, other: Exchange) -> Exchange:
        """Both as one."""
        both = in_order((*self.sites, *other.sites))
        return Exchange((*self.buffers, *other.buffers), tuple(both))


def in_order(sites: Sequence[Site]) -> list[Site]:
    """By their places in the text of both cores."""
    return sorted(sites, key=lambda site: (site.point, site.core.value))


def exchanges(kernel: Kernel) -> list[Exchange]:
    """The tensors that one core writes and the other reads or writes, by name."""
    found: dict[int, list[Site]] = {}
    for site in _all_sites(kernel):
        if site.region is not None:
            found.setdefault(site.buffer.uid, []).append(site)
    result = []
    for group in sorted(found.values(), key=lambda group: _natural(group[0].buffer.name)):
        relevant = _relevant(group)
        if relevant:
            result.append(Exchange((group[0].buffer,), tuple(relevant)))
    return result


def ways_out(kernel: Kernel) -> list[Site]:
    """Every `break`, on each core that has it."""
    return [site for site in _all_sites(kernel) if site.region is None]


def _natural(name: str) -> tuple[int, str]:
    return len(name), name


def _relevant(group: list[Site]) -> list[Site]:
    """Where only one core writes, what it reads itself is no matter of the other."""
    writers = {site.core for site in group if site.write}
    readers = {site.core for site in group if not site.write}
    handed = any(reader is not writer for writer in writers for reader in readers)
    if len(writers) > 1:
        return group if handed or _overwritten(group) else []
    if not handed:
        return []
    return [site for site in group if site.write or site.core not in writers]


def _overwritten(group: list[Site]) -> bool:
    """True where both cores may write the same place."""
    sides = [[s.region for s in group if s.write and s.core is core and s.region] for core in SIDES]
    return any(not _apart(one, two) for one in sides[0] for two in sides[1])


def _apart(one: Region, two: Region) -> bool:
    if len(one.starts) != len(two.starts):
        return False
    boxes = list(zip(one.starts, one.extents, two.starts, two.extents, strict=True))
    return any(_before(a, x, b) or _before(b, y, a) for a, x, b, y in boxes)


def _before(start: Scalar, extent: Scalar, end: Scalar) -> bool:
    gap = interval(binary("-", binary("-", end, start), extent))[0]
    return gap is not None and gap >= 0


def _all_sites(kernel: Kernel) -> list[Site]:
    points = dict(points_of(kernel.attrs.get(SEQUENCE, ()), ()))
    return list(_sites(kernel.body, (), Core.ANY, kernel, points))


def points_of(block: Block, prefix: Address) -> Iterator[tuple[int, Address]]:
    """The places of statements without blocks, by identity."""
    for index, stmt in enumerate(block):
        inside = blocks_of(stmt)
        for branch, inner in enumerate(inside):
            yield from points_of(inner, (*prefix, index, branch))
        if not inside:
            yield id(stmt), (*prefix, index)


def _sites(
    block: Block,
    trail: tuple[Around, ...],
    core: Core,
    kernel: Kernel,
    points: dict[int, Address],
) -> Iterator[Site]:
    for index, stmt in enumerate(block):
        if core in SIDES:
            point = point_of(stmt, len(trail), points)
            for pipe, write, region in _accesses(stmt, kernel):
                yield Site(core, region, write, pipe, trail, index, stmt, point)
            if isinstance(stmt, Break):
                yield Site(core, None, False, Pipe.S, trail, index, stmt, point)
        for branch, inner in enumerate(blocks_of(stmt)):
            scope = stmt.core if isinstance(stmt, CoreScope) else core
            around = (*trail, Around(index, branch, stmt))
            yield from _sites(inner, around, scope, kernel, points)


def point_of(stmt: Stmt, depth: int, points: dict[int, Address]) -> Address:
    """The place of a statement; one with blocks contains the places of what it holds. Around it
    are `depth` statements, the scope of the core one of them."""
    leaf = next(s for s in (*within(stmt), stmt) if not blocks_of(s))
    return points.get(id(leaf), ())[: 2 * depth - 1]


def _accesses(stmt: Stmt, kernel: Kernel) -> Iterator[tuple[Pipe, bool, Region]]:
    """What a statement does to tensors in GM: elements that it takes come first."""
    effect = effect_of(stmt)
    found = [(Pipe.S, False, region) for region in effect.scalars]
    for step in effect.steps if isinstance(stmt, (TileOp, Store)) else ():
        found += [(step.pipe, False, region) for region in step.reads]
        found += [(step.pipe, True, region) for region in step.writes]
    for pipe, write, region in found:
        if kernel.memory(region.buffer) is Memory.GM:
            yield pipe, write, region
