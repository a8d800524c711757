"""Rules of sorting: results are pairs, twice as many elements as there were values."""

from __future__ import annotations

from tl_ascend.checks.causes import resized
from tl_ascend.checks.context import Call, CheckContext, size
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import round_up
from tl_ascend.ir.text import show_region

GROUP = 32


def sorted_pairs(call: Call, context: CheckContext) -> None:
    """The destination holds the pairs that are written."""
    target, source = call.region("dst"), call.region("src")
    limit = call.arg("K" if call.row.name == "tile.topk" else "actual_num")
    if target is None or source is None or not isinstance(limit, int):
        return
    values = limit if call.row.name == "tile.topk" else round_up(limit, GROUP)
    _room(call, context, target, 2 * values, f"{values} pairs")


def merged_size(call: Call, context: CheckContext) -> None:
    """The destination holds all runs."""
    target = call.region("dst")
    runs = [call.region(f"src{at}") for at in range(4)]
    sizes = [size(run) for run in runs if run is not None]
    if target is not None and sizes and None not in sizes:
        total = sum(count for count in sizes if count is not None)
        _room(call, context, target, total, f"{len(sizes)} runs of {sizes[0]} and more elements")


def _room(call: Call, context: CheckContext, target: Region, need: int, what: str) -> None:
    have = size(target)
    if have is None or have >= need:
        return
    context.report.add(
        "operand-size",
        target.span,
        f"{show_region(target)} has {have} elements; {call.name} writes {need} ({what})",
        related=(Related(target.buffer.span, f"{target.buffer.name} is allocated here"),),
        causes=resized(target, (need,)),
    )
