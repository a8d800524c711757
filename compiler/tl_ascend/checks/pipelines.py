"""`T.Pipelined` loops that both cores run, which upstream's compiler takes in groups of num_stages."""

from __future__ import annotations

from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr, free_vars
from tl_ascend.ir.nodes import SYMBOLS, For, Region, TileOp, regions_of, walk_stmts
from tl_ascend.target.hardware import Memory

_CUBE = (Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C)


def pipeline_stages(context: CheckContext) -> None:
    """The number of groups is a constant division rounded down; for a symbol it is a product."""
    if context.upstream == "none":
        return
    first: For | None = None
    for stmt in walk_stmts(context.before.body):
        stages = stmt.annotation("num_stages", 0) if isinstance(stmt, For) else 0
        if isinstance(stmt, For) and isinstance(stages, int) and stages > 1:
            if stmt.kind == "pipelined" and _joins_cores(stmt, context):
                _groups(stmt, stages, context)
                if first is not None:
                    _second(first, stmt, context)
                first = first or stmt


def _second(first: For, loop: For, context: CheckContext) -> None:
    context.report.add(
        "pipeline-stages",
        loop.span,
        "a second loop that both cores run in stages: upstream's compiler takes one in a kernel, and "
        "stops here",
        notes=("Let one of them be T.serial. The programs of tl-ascend take both.",),
        related=(Related(first.span, "the first one"),),
    )


def _joins_cores(loop: For, context: CheckContext) -> bool:
    """True where both cores work in a loop, and one hands the other something through GM."""
    memories: set[Memory] = set()
    handed = False
    for stmt in walk_stmts(loop.body):
        if not isinstance(stmt, TileOp):
            continue
        places = [context.memory(region) for region in regions_of(stmt)]
        memories.update(place for place in places if place is not None)
        handed = handed or _leaves_the_chip(stmt, context)
    return handed and Memory.UB in memories and any(memory in _CUBE for memory in memories)


def _leaves_the_chip(op: TileOp, context: CheckContext) -> bool:
    if op.op not in ("copy", "tile.atomic_add"):
        return False
    source, target = op.args[:2]
    if not isinstance(source, Region) or not isinstance(target, Region):
        return False
    ends = context.memory(source), context.memory(target)
    return ends[1] is Memory.GM or ends in ((Memory.L0C, Memory.UB), (Memory.UB, Memory.L1))


def _groups(loop: For, stages: int, context: CheckContext) -> None:
    if not isinstance(loop.extent, Expr):
        rest = int(loop.extent) % stages
        if rest:
            _report(
                loop,
                f"{loop.extent} iterations in groups of {stages}: upstream's compiler leaves out the "
                f"last {rest}",
                f"Give the loop a multiple of {stages} iterations, or another num_stages.",
                context,
            )
        return
    if set(free_vars(loop.extent)) <= set(context.before.attrs.get(SYMBOLS, ())):
        _report(
            loop,
            "the number of iterations is a symbol: upstream's compiler multiplies it by "
            f"num_stages={stages} where it should divide, and runs beyond the end",
            "Let the number of iterations be a constant, or use T.serial.",
            context,
        )


def _report(loop: For, message: str, advice: str, context: CheckContext) -> None:
    context.report.add(
        "pipeline-stages",
        loop.span,
        message,
        notes=(
            "Both cores work in this loop, so each part of it runs for num_stages iterations in turn.",
            f"{advice} The programs of tl-ascend run every iteration once.",
        ),
    )
