"""Kernels in which one core takes what the other one made, and nothing at all makes it wait."""

from __future__ import annotations

from collections.abc import Sequence

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.workspaces import CORE_NAMES, SIDES, crossing
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import AUTO_CV_COMBINE, AUTO_CV_SYNC, CoreScope, Region, TileOp, walk_stmts
from tl_ascend.passes.switches import switched_on
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Core, Memory

BY_HAND = ("set_cross_flag", "wait_cross_flag", "sync_all")


def nothing_between_cores(context: CheckContext) -> None:
    """Where authors write the programs of both cores, these are executed (`checks/sync`); where the
    compiler makes them of one text, it orders them only if it is told to."""
    kernel = context.before
    every = list(walk_stmts(kernel.body))
    calls = [stmt for stmt in every if isinstance(stmt, TileOp)]
    scoped = any(isinstance(stmt, CoreScope) for stmt in every)
    if scoped or kernel.options.on(AUTO_CV_SYNC) or any(call.op in BY_HAND for call in calls):
        return
    spans = kernel.options.spans
    place = spans.get("pass_configs", spans.get("jit"))
    found = _handed_on(calls, context)
    if found is None or place is None:
        return
    name, write, read, span = found
    context.report.add(
        "autosync-config",
        place,
        f"nothing orders the cores: {name} leads from the {CORE_NAMES[write]} to the "
        f"{CORE_NAMES[read]} core, {AUTO_CV_SYNC} is off, and no flag is set by hand",
        notes=(f"Switch {AUTO_CV_SYNC} on, or set and wait for flags between the cores.",),
        related=(Related(span, f"taken by the {CORE_NAMES[read]} core"),),
        fixes=switched_on(kernel.options, AUTO_CV_SYNC)
        if kernel.options.on(AUTO_CV_COMBINE)
        else (),
    )


def _handed_on(
    calls: Sequence[TileOp], context: CheckContext
) -> tuple[str, Core, Core, Span] | None:
    """What first leads from one core to the other: a copy between their memories, or a tensor."""
    for call in calls:
        source, target = (*call.args, None, None)[:2]
        if call.op == "copy" and isinstance(source, Region) and isinstance(target, Region):
            sides = [SIDES.get(context.memory(r) or Memory.GM) for r in (source, target)]
            if sides[0] is not None and sides[1] is not None and sides[0] is not sides[1]:
                return source.buffer.name, sides[0], sides[1], call.span
    pair = next((pair for pair in map(crossing(context), context.before.params) if pair), None)
    if pair is None:
        return None
    write, read = pair
    return read.region.buffer.name, write.side, read.side, read.region.span
