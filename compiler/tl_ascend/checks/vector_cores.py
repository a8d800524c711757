"""Elements in GM that both vector cores of a block touch, with nothing that could order them.

Told where no core waits for another one anywhere in the kernel, and where only T.copy touches the
tensor, from and to the UB.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tl_ascend.checks.certain import certain, launched
from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.gm_parts import VECTOR, Part, box_of, common, copied, may_write, parts_of
from tl_ascend.checks.taken import where_holds
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr, Var, free_vars, loads
from tl_ascend.ir.nodes import Block, If, Launch, Region, Stmt, TileOp, blocks_of, walk_stmts
from tl_ascend.ir.text import show_region

CORES = (0, 1)


def exchanged_parts(context: CheckContext) -> None:
    """What one vector core writes, the other one does not read."""
    launch = context.before.launch
    if launch is None or launch.threads == 1 or _ordered(context):
        return
    tensors = copied(context, VECTOR)
    if not tensors:
        return
    parts: dict[int, list[Part]] = {}
    for stmt, ranges, _ in certain(context.before.body, launched(context.before)):
        for part in parts_of(stmt, ranges, context, VECTOR) if isinstance(stmt, TileOp) else ():
            if part.region.buffer.uid in tensors:
                parts.setdefault(part.region.buffer.uid, []).append(part)
    for found in parts.values():
        _exchanged(found, launch, context)


def _ordered(context: CheckContext) -> bool:
    """True where cores wait for each other, be it by the compiler."""
    calls = (s for s in walk_stmts(context.after.body) if isinstance(s, TileOp))
    return any("cross" in call.op or call.op == "sync_all" for call in calls)


def _exchanged(parts: Sequence[Part], launch: Launch, context: CheckContext) -> None:
    uid = parts[0].region.buffer.uid
    own = [
        [
            part.region
            for stmt in _run_by(context.before.body, launch.subblock, core)
            for part in (parts_of(stmt, {}, context, VECTOR) if isinstance(stmt, TileOp) else ())
            if part.writes and part.region.buffer.uid == uid
        ]
        for core in CORES
    ]
    for read in (part for part in parts if not part.writes):
        for write in (part for part in parts if part.writes):
            for at in CORES:
                if _spoilt(write, read, own[1 - at], launch, at):
                    _report(write, read, at, context)
                    return


def _run_by(block: Block, core: Var, at: int) -> Iterator[Stmt]:
    """What a vector core may run."""
    for stmt in block:
        yield stmt
        taken = [True] * len(blocks_of(stmt))
        if isinstance(stmt, If) and set(free_vars(stmt.condition)) == {core}:
            if not loads(stmt.condition):
                here: dict[Expr, tuple[int, int]] = {core: (at, at)}
                taken = [any(where_holds(stmt.condition, here, way)) for way in (True, False)]
        for inner, runs in zip(blocks_of(stmt), taken, strict=True):
            yield from _run_by(inner, core, at) if runs else ()


def _spoilt(write: Part, read: Part, own: Sequence[Region], launch: Launch, at: int) -> bool:
    """True where one core writes what the other one reads and does not write itself, in the first or the
    last turns of a block. `own`: what the other one writes."""
    for end in (0, 1):
        block = read.ranges.get(launch.block, (0, 0))[end]
        mine: dict[Expr, int] = {launch.subblock: at, launch.block: block}
        other: dict[Expr, int] = {**mine, launch.subblock: 1 - at}
        both = common(box_of(write, mine, end), box_of(read, other, end))
        if both is not None:
            return not any(may_write(region, both, other) for region in own)
    return False


def _report(write: Part, read: Part, at: int, context: CheckContext) -> None:
    name = read.region.buffer.name
    context.report.add(
        "race",
        read.stmt.span,
        f"vector core {1 - at} reads {show_region(read.region)}, which vector core {at} writes as "
        f"{show_region(write.region)}, and nothing makes one wait for the other",
        notes=(
            "The two vector cores of a block run at the same time; barriers and flags within a core "
            "order its own pipes only.",
            f"Have each core read the parts of {name} that it wrote itself, or put T.sync_all() between "
            "the two.",
        ),
        related=(Related(write.stmt.span, f"vector core {at} writes it"),),
    )
