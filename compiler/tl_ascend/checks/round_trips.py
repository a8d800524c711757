"""Copies between the cores, which have no path on the chip and lead through GM."""

from __future__ import annotations

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.sync.execute import flagged
from tl_ascend.ir.nodes import Region, TileOp, walk_stmts
from tl_ascend.ir.storage import bits_to_bytes, elements
from tl_ascend.target.hardware import Memory

_ACROSS = ((Memory.UB, Memory.L1), (Memory.L0C, Memory.UB))


def round_trips(context: CheckContext) -> None:
    """What such a copy costs does not show in its text."""
    for stmt in walk_stmts(context.before.body):
        if not isinstance(stmt, TileOp) or stmt.op != "copy":
            continue
        source, target = stmt.args[:2]
        if isinstance(source, Region) and isinstance(target, Region):
            ends = context.memory(source), context.memory(target)
            if ends in _ACROSS and ends not in context.platform.paths:
                _report(stmt, source, target, context)


def _report(op: TileOp, source: Region, target: Region, context: CheckContext) -> None:
    region = source if source.form != "start" else target
    count = elements(region.extents)
    moved = ""
    if count is not None:
        moved = f", {bits_to_bytes(count, source.buffer.dtype.bits)} bytes there and back"
    ends = context.memory(source), context.memory(target)
    waits = "waits for a flag and reads it in"
    if not flagged(context.after):
        waits = "reads it in, and no flag makes it wait"
    names = [memory.value for memory in ends if memory is not None]
    context.report.add(
        "round-trip",
        op.span,
        f"{' to '.join(names)} has no path on the chip: this copy leads through a workspace in GM"
        f"{moved}",
        notes=(
            f"One core writes the tile out, the other {waits}. Work that does not need it can stand "
            "between.",
        ),
    )
