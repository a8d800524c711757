"""How a kernel is launched: rounds of blocks on the cores, and blocks that write the same place."""

from __future__ import annotations

from dataclasses import dataclass

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.core_overlaps import cores_overlap
from tl_ascend.checks.overlaps import Grid, always_run, meetings, overlap
from tl_ascend.checks.spread import Spread
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Var, free_vars
from tl_ascend.ir.nodes import (
    Launch,
    Region,
    Stmt,
    TileOp,
    walk_stmts,
)
from tl_ascend.ir.text import show_region
from tl_ascend.passes.scalar_cache import CACHE
from tl_ascend.target.hardware import Memory

# From this many blocks a core on, the start of each is worth a thought.
ROUNDS = 16


def no_blocks(context: CheckContext) -> None:
    """A kernel runs in at least one block. Where a division that was rounded down gives none, that is
    told of what it leaves out."""
    launch = context.before.launch
    told = any(finding.name == "tail" for finding in context.report.findings)
    if launch is None or isinstance(launch.blocks, Expr) or launch.blocks > 0 or told:
        return
    none = launch.blocks == 0
    context.report.add(
        "kernel-form",
        launch.span,
        f"{launch.blocks} blocks: "
        + ("the kernel never runs" if none else "a launch has at least one"),
        notes=("What it should write keeps whatever was there before.",) if none else (),
        severity=Severity.WARNING if none else None,
    )


def many_blocks(context: CheckContext) -> None:
    """A core runs its blocks one after the other, and each starts anew."""
    launch = context.before.launch
    cores = context.platform.cube_cores
    if launch is None or isinstance(launch.blocks, Expr) or launch.blocks < ROUNDS * cores:
        return
    context.report.add(
        "perf-launch",
        launch.span,
        f"{launch.blocks} blocks on {cores} cores are {-(-int(launch.blocks) // cores)} rounds, and "
        "every block starts anew",
        notes=(
            f"With {cores} blocks that each loop over their share of the tasks a core starts once, "
            "and transfers of the next task can overlap the end of the one before.",
        ),
    )


def shared_targets(context: CheckContext) -> None:
    """A tensor's place that does not depend on the block, written with data that does: what stays
    there is that of any block."""
    launch = context.before.launch
    if launch is None:
        return
    told: set[int] = set()
    if not any(
        isinstance(s, TileOp) and s.op == "sync_all" for s in walk_stmts(context.after.body)
    ):
        _apart(launch, told, context)
    if launch.threads != 1:
        cores_overlap(launch, told, context)


def _apart(launch: Launch, told: set[int], context: CheckContext) -> None:
    """Where all that blocks and cores write is from the same time."""
    if not isinstance(launch.blocks, Expr) and launch.blocks > 1:
        blocks = _Each(launch.block, f"each of the {launch.blocks} blocks", "Blocks run", "block")
        _writers(blocks, launch, told, context)
        told |= _overlaps(launch, int(launch.blocks), context)
    if launch.threads != 1:
        who = "each of the two vector cores of a block"
        _writers(_Each(launch.subblock, who, "They run", "core"), launch, told, context)


def _overlaps(launch: Launch, blocks: int, context: CheckContext) -> set[int]:
    """Parts that depend on the block, and reach into those of other blocks: of which tensors."""
    grid = Grid(launch, blocks)
    found = meetings(walk_stmts(context.before.body), grid)
    if not found:
        return set()
    tensors = {tensor.uid for tensor in context.before.tensors}
    spread = Spread(context.before.body, launch.block)
    told: set[int] = set()
    always = tuple(always_run(context.before.body, spread))
    certain = set(map(id, always))
    for meeting in found:
        written = {meeting.target.buffer.uid}
        if id(meeting.stmt) in certain and written <= tensors - told:
            if overlap(meeting, launch, grid, always, context):
                told |= written
    return told


@dataclass(frozen=True, slots=True)
class _Each:
    """Those that a variable counts, in words: who writes, who runs, one of them."""

    index: Var
    who: str
    run: str
    one: str

    @property
    def cores(self) -> bool:
        return self.index.role == "subblock"


def _writers(each: _Each, launch: Launch, told: set[int], context: CheckContext) -> None:
    tensors = {tensor.uid for tensor in context.after.tensors}
    stmts = walk_stmts(context.after.body)
    if not any(_fixed(s, each.index, tensors) and _is_each(s, each, context) for s in stmts):
        return
    spread = Spread(context.after.body, each.index)
    for stmt in always_run(context.after.body, spread):
        if not isinstance(stmt, TileOp) or "atomic" in stmt.op or not spread.own_data(stmt):
            continue
        if stmt.op == CACHE:
            continue  # which brings to GM what the scalar unit has stored
        if not _is_each(stmt, each, context):
            continue
        for target in effect_of(stmt).writes:
            if target.buffer.uid in tensors - told and not spread.place(target):
                told.add(target.buffer.uid)
                _report(stmt, target, each, launch, context)


def _is_each(stmt: Stmt, each: _Each, context: CheckContext) -> bool:
    """Of the cube core there is one."""
    return not each.cores or all(context.memory(r) is Memory.UB for r in effect_of(stmt).reads)


def _fixed(stmt: Stmt, index: Var, tensors: set[int]) -> bool:
    """True where a statement writes a place whose indices do not name the block: cheap, and seldom."""
    if not isinstance(stmt, TileOp):
        return False
    for target in effect_of(stmt).writes:
        if target.buffer.uid in tensors:
            exprs = (start for start in target.starts if isinstance(start, Expr))
            if not any(index in free_vars(start) for start in exprs):
                return True
    return False


def _report(
    stmt: TileOp, target: Region, each: _Each, launch: Launch, context: CheckContext
) -> None:
    index, counted = each.index.name, "vector cores" if each.cores else "blocks"
    context.report.add(
        "race",
        stmt.span,
        f"{each.who} writes {show_region(target)} with data of its own: {index} is not in the index",
        notes=(
            f"{each.run} at the same time and in any order, so what stays there is that of any one "
            "of them, or parts of several.",
            f"Let the index depend on {index}, write it in one {each.one} only, or add up with "
            "T.tile.atomic_add.",
        ),
        related=(Related(launch.span, f"{index} counts the {counted}"),),
    )
