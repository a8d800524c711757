"""Tensors that the halves of a block hand to each other where the order of the text is not meant.

Where the compiler divides one text between the halves (`tl.ascend_auto_cross_core_sync`) and one of
them reads a tensor above all writes of the other, each half's part of the text is meant alone: the
n-th read finds what the n-th write left. Then the halves run apart, and wait for each other at the
statements that touch such tensors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.affine import same
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import AUTO_CV_SYNC, Block, For, Kernel, Region, Stmt, blocks_of, walk_stmts
from tl_ascend.ir.phases import left_out_first
from tl_ascend.ir.storage import root
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.lower_tile_ops import lower_tile_ops
from tl_ascend.passes.workspace_copies import workspace_copies
from tl_ascend.simulate.sync import Wait
from tl_ascend.target.hardware import DEFAULT_PLATFORM, Memory
from tl_ascend.target.hardware import Core as Half

if TYPE_CHECKING:
    from tl_ascend.simulate.core import Core, Place
    from tl_ascend.simulate.executor import Plan

# Statements around, each with the number of its block.
Path: TypeAlias = "tuple[tuple[Stmt, int], ...]"
# Writes or reads, one after the other in a block.
Run: TypeAlias = "tuple[bool, list[Stmt]]"


@dataclass(frozen=True, slots=True)
class _Site:
    """A statement that touches a tensor. `half`: whose it is, ANY for both."""

    stmt: Stmt
    half: Half
    write: bool
    around: Path

    def at(self, depth: int) -> Stmt:
        """What is or contains it, so deep."""
        return self.around[depth][0] if depth < len(self.around) else self.stmt


@dataclass(frozen=True, slots=True)
class _Turn:
    """One side of a hand-over of a tensor: a half that writes or reads it."""

    tensor: int
    half: Half
    write: bool


@dataclass
class Turns:
    """`first`, `last`: turns that begin and end with a statement, by its identity; `done`: how often
    each core has come to the end of its turn, by its place: of a block that is over no core is left."""

    first: dict[int, list[_Turn]] = field(default_factory=lambda: defaultdict(list))
    last: dict[int, list[_Turn]] = field(default_factory=lambda: defaultdict(list))
    done: dict[tuple[int, Place], int] = field(default_factory=lambda: defaultdict(int))

    def add(self, tensor: int, writer: Half, reader: Half, runs: Sequence[Run]) -> None:
        for write, stmts in runs:
            turn = _Turn(tensor, writer if write else reader, write)
            self.first[id(stmts[0])].append(turn)
            self.last[id(stmts[-1])].append(turn)

    def before(self, stmt: Stmt, cores: list[Core]) -> Iterator[Wait]:
        """Wait until the other half has come as far as this turn asks."""
        for turn in self.first.get(id(stmt), ()):
            for core in (core for core in cores if core.half is turn.half):
                if not self._ready(turn, core):
                    yield Wait(core, stmt, partial(self._ready, turn, core))

    def _ready(self, turn: _Turn, core: Core) -> bool:
        assert core.peers is not None
        others = [other for other in core.peers.cores if other.half is not turn.half]
        wanted = self.done[turn.tensor, core.place] + (0 if turn.write else 1)
        return all(self.done[turn.tensor, other.place] >= wanted for other in others)

    def after(self, stmt: Stmt, cores: list[Core]) -> None:
        """Count the turns that end here."""
        for turn in self.last.get(id(stmt), ()):
            for core in cores:
                if core.half is turn.half:
                    self.done[turn.tensor, core.place] += 1


def turns_of(plan: Plan) -> Turns | None:
    """How the halves take turns; None where the order of the text is meant, or does not say it."""
    kernel = plan.machine.kernel
    if not kernel.options.on(AUTO_CV_SYNC) or any(map(plan.joins, walk_stmts(kernel.body))):
        return None
    tensors: dict[int, list[_Site]] = defaultdict(list)
    for tensor, site in _sites(plan, kernel.body, ()):
        tensors[tensor].append(site)
    handed = {tensor: sites for tensor, sites in tensors.items() if _handed(sites)}
    if not any(_read_first(sites) for sites in handed.values()):
        return None
    found = Turns()
    for tensor, sites in handed.items():
        halves, runs = _pair(sites), _runs(sites)
        if halves is None or runs is None:
            return None
        found.add(tensor, *halves, runs)
    return found


def led_through_gm(plan: Plan) -> Kernel:
    """The kernel with workspaces in place of copies between tiles of the two halves; as it was where
    the compiler orders no halves, or there are no such copies."""
    kernel = plan.machine.kernel
    if not kernel.options.on(AUTO_CV_SYNC) or not any(map(plan.joins, walk_stmts(kernel.body))):
        return kernel
    context = PassContext(DEFAULT_PLATFORM, Report(), "none")
    return workspace_copies(lower_tile_ops(kernel, context), context)


def _sites(plan: Plan, block: Block, around: Path) -> Iterator[tuple[int, _Site]]:
    """What touches tensors, in the order of the text."""
    for stmt in block:
        effect = effect_of(stmt)
        half = Half.ANY if blocks_of(stmt) else plan.owner(stmt)
        reads, writes = (*effect.scalars, *effect.reads), effect.writes
        for write, regions in ((False, reads), (True, writes)):
            for region in regions:
                if _in_gm(plan, region):
                    yield root(region.buffer).uid, _Site(stmt, half, write, around)
        for number, inner in enumerate(blocks_of(stmt)):
            yield from _sites(plan, inner, (*around, (stmt, number)))


def _in_gm(plan: Plan, region: Region) -> bool:
    return region.buffer.scope != "var" and plan.machine.memory(region.buffer) is Memory.GM


def _handed(sites: Sequence[_Site]) -> bool:
    """True where one half may read what the other one writes."""
    writers = {site.half for site in sites if site.write}
    return bool(writers) and any(not s.write and {s.half} != writers for s in sites)


def _read_first(sites: Sequence[_Site]) -> bool:
    pair = _pair(sites)
    if pair is None or left_out_first(sites[0].around):
        return False
    return not sites[0].write and sites[0].half is pair[1]


def _pair(sites: Sequence[_Site]) -> tuple[Half, Half] | None:
    """The half that writes, and the other one; None where it is not one."""
    writers = {site.half for site in sites if site.write}
    readers = {site.half for site in sites if not site.write} - writers
    if len(writers) != 1 or len(readers) != 1 or Half.ANY in writers | readers:
        return None
    return writers.pop(), readers.pop()


def _runs(sites: Sequence[_Site]) -> list[Run] | None:
    """What takes turns: statements of the innermost block around all sites, or of two loops that run
    side by side. None where turns do not alternate."""
    writers = {site.half for site in sites if site.write}
    sites = [site for site in sites if site.write or site.half not in writers]
    depth = 0
    while len({site.around[: depth + 1] for site in sites}) == 1 and depth < len(sites[0].around):
        depth += 1
    while _side_by_side(_steps(sites, depth)):
        depth += 1
    steps = _steps(sites, depth)
    if len({id(stmt) for _, stmt in steps}) < len(steps):
        return None  # one statement does both
    runs = [(write, [s for _, s in own]) for write, own in groupby(steps, lambda step: step[0])]
    return runs if len(runs) % 2 == 0 else None


def _steps(sites: Sequence[_Site], depth: int) -> list[tuple[bool, Stmt]]:
    """What touches a tensor, so deep, and whether it writes."""
    found = {(site.write, id(site.at(depth))): site.at(depth) for site in sites}
    return [(write, stmt) for (write, _), stmt in found.items()]


def _side_by_side(steps: Sequence[tuple[bool, Stmt]]) -> bool:
    """True for a loop of each half with as many iterations as the other."""
    loops = [stmt for _, stmt in steps if isinstance(stmt, For)]
    if len(steps) != 2 or len(loops) != 2 or loops[0] is loops[1]:
        return False
    return steps[0][0] is not steps[1][0] and same(loops[0].extent, loops[1].extent) is True
