"""The two vector cores of a block that write parts of a tensor that overlap, with different data in what
they share: `vid` is in the index, and does not keep them apart.

Looked at are single blocks, each loop at its first turn: one place that both write is enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.overlaps import always_run, moves, sources_of, target_of
from tl_ascend.checks.spread import Spread
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.affine import affine, interval
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Scalar, Var, free_vars
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import Launch, Region, TileOp, walk_stmts
from tl_ascend.ir.text import show, show_region
from tl_ascend.target.hardware import Memory

# Of so many blocks the first ones show what an index does.
MOST = 16


def cores_overlap(launch: Launch, told: set[int], context: CheckContext) -> None:
    """`told`: tensors of which something is told."""
    stmts = walk_stmts(context.before.body)
    copies = [(stmt, target_of(stmt)) for stmt in stmts if isinstance(stmt, TileOp)]
    found = [
        (stmt, target, meeting)
        for stmt, target in copies
        if target is not None and _of_the_cores(stmt, target, context)
        for meeting in _meetings(target, launch)
    ]
    if not found:
        return
    always = tuple(always_run(context.before.body, Spread(context.before.body, launch.subblock)))
    certain = set(map(id, always))
    written = frozenset(r.buffer.uid for stmt in stmts for r in effect_of(stmt).writes)
    for stmt, target, (cores, step) in found:
        if id(stmt) in certain and target.buffer.uid not in told:
            differs = partial(cores.differ, step=step, written=written)
            if sources_of(stmt, always, context).differ(differs):
                told.add(target.buffer.uid)
                _report(stmt, target, cores, launch, context)


def _meetings(target: Region, launch: Launch) -> Iterator[tuple[_Cores, tuple[int, ...]]]:
    """The first block in which the parts of both cores share elements, and how far they are apart."""
    if launch.subblock not in _vars(target) or _kept_apart(target, launch.subblock):
        return
    blocks = launch.blocks if isinstance(launch.blocks, int) else 1
    for block in range(min(int(blocks), MOST)):
        cores = _Cores(launch, block)
        step = cores.step(target)
        if step is not None and cores.meet(target, step):
            yield cores, step
            return


def _kept_apart(target: Region, core: Var) -> bool:
    """True where an index moves on with the core by as much as it writes, in any block."""
    for start, extent in zip(target.starts, target.extents, strict=True):
        form = affine(start)
        if form is not None and isinstance(extent, int) and abs(form.terms.get(core, 0)) >= extent:
            if not any(core in free_vars(atom) for atom in form.terms if atom is not core):
                return True
    return False


def _vars(region: Region) -> set[Var]:
    return {var for start in region.starts for var in free_vars(start)}


def _of_the_cores(stmt: TileOp, target: Region, context: CheckContext) -> bool:
    """True for a copy out of the UB to a tensor in GM."""
    reads = effect_of(stmt).reads
    return (
        context.memory(target) is Memory.GM
        and bool(reads)
        and all(context.memory(region) is Memory.UB for region in reads)
    )


@dataclass(frozen=True, slots=True)
class _Cores:
    """Both cores of one block."""

    launch: Launch
    block: int

    def at(self, value: Scalar, core: int) -> int | None:
        """A scalar on one core, at the first turn of each loop."""
        if not isinstance(value, Expr):
            return value if isinstance(value, int) else None
        known: dict[Expr, Scalar] = {self.launch.block: self.block, self.launch.subblock: core}
        for var in (var for var in free_vars(value) if var not in known):
            first = interval(var)[0]
            if first is None:
                return None
            known[var] = first
        found = substitute(value, known)
        return found if isinstance(found, int) else None

    def step(self, region: Region) -> tuple[int, ...] | None:
        """How far the part of the second core lies behind that of the first; None where unknown."""
        ends = [(self.at(start, 0), self.at(start, 1)) for start in region.starts]
        steps = [b - a for a, b in ends if a is not None and b is not None]
        return tuple(steps) if len(steps) == len(ends) else None

    def meet(self, region: Region, step: tuple[int, ...]) -> bool:
        """True where both parts share elements that the tensor has."""
        for start, extent, size, by in zip(
            region.starts, region.extents, region.buffer.shape, step, strict=True
        ):
            firsts = self.at(start, 0), self.at(start, 1)
            if not isinstance(extent, int) or abs(by) >= extent or None in firsts:
                return False
            if isinstance(size, int) and max(first or 0 for first in firsts) >= size:
                return False
        return True

    def differ(
        self, source: Region | Scalar, step: tuple[int, ...], written: frozenset[int]
    ) -> bool:
        """True where what a source gives to the shared elements is not the same on both cores.
        `written`: buffers that the kernel writes, which may hold what one has handed to the other."""
        if isinstance(source, Region):
            moved = self.step(source)
            other = moved is not None and any(moved) and moves(moved) != moves(step)
            return other and source.buffer.uid not in written
        ends = self.at(source, 0), self.at(source, 1)
        return None not in ends and ends[0] != ends[1]


def _report(
    stmt: TileOp, target: Region, cores: _Cores, launch: Launch, context: CheckContext
) -> None:
    index, block = launch.subblock.name, launch.block.name
    firsts = [
        f"{target.buffer.name}[{', '.join(show(cores.at(start, core)) for start in target.starts)}]"
        for core in (0, 1)
    ]
    where = firsts[0] if firsts[0] == firsts[1] else " and ".join(firsts)
    context.report.add(
        "race",
        stmt.span,
        f"the two vector cores of a block write the same elements of {target.buffer.name}, each with "
        f"data of its own: {show_region(target)} begins at {where} for {block} = {cores.block}",
        notes=(
            "They run at the same time and in any order, so what stays there is that of either one.",
            f"Let the index move on with {index} by as much as a core writes.",
        ),
        related=(Related(launch.span, f"{index} counts the vector cores"),),
    )
