"""Elements in GM that one block reads and another one writes, with nothing that could order the two.

Told where the blocks never wait for each other, and where only T.copy touches the tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tl_ascend.checks.certain import certain, launched, on_one_core
from tl_ascend.checks.context import CheckContext, calls_of, spans_of
from tl_ascend.checks.gm_parts import EITHER, Part, box_of, common, copied, may_write, parts_of
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import Launch, Region, TileOp, walk_stmts
from tl_ascend.ir.text import show_region
from tl_ascend.target.hardware import Memory

FIRST, LAST = 3, 2  # blocks that are looked at
MOST = 100  # pairs of parts
_ALL_CORES = 0  # the mode of a flag that all cores of a half set


def exchanged_between_blocks(context: CheckContext) -> None:
    """What one block writes, no other one reads. A tensor is told once."""
    launch = context.before.launch
    if launch is None or not isinstance(launch.blocks, int) or launch.blocks < 2:
        return
    tensors = set() if _meet(context) else copied(context, EITHER)
    if not tensors:
        return
    wrong = {f.span for f in context.report.findings if f.level >= Severity.WARNING}
    parts: dict[int, list[Part]] = {}
    for stmt, ranges, _ in certain(context.before.body, launched(context.before)):
        for part in parts_of(stmt, ranges, context, EITHER) if isinstance(stmt, TileOp) else ():
            if part.region.buffer.uid in tensors and wrong.isdisjoint(spans_of(stmt)):
                parts.setdefault(part.region.buffer.uid, []).append(_on_core(part, context))
    for found in parts.values():
        _exchanged(found, launch, context)


def _meet(context: CheckContext) -> bool:
    """True where blocks may wait for each other, be it by the compiler."""
    calls = list(calls_of(walk_stmts(context.after.body)))
    modes = [call.arg("mode") for call in calls if call.row.name == "set_cross_flag"]
    return any(call.row.name == "sync_all" for call in calls) or _ALL_CORES in modes


def _on_core(part: Part, context: CheckContext) -> Part:
    """The cube core moves a part once, each vector core its own."""
    vector = any(
        context.memory(arg) is Memory.UB for arg in part.stmt.args if isinstance(arg, Region)
    )
    return part if vector else part._replace(ranges=on_one_core(part.ranges))


def _exchanged(parts: Sequence[Part], launch: Launch, context: CheckContext) -> None:
    """The writer writes what the reader reads and does not write itself, in the first or the last turns
    of both."""
    blocks = _looked_at(launch)
    own = [part.region for part in parts if part.writes]
    reads, writes = ([p for p in parts if p.writes is kind] for kind in (False, True))
    if len(reads) * len(writes) > MOST:
        return
    for end in (0, 1):
        read = [(p, b, box_of(p, {launch.block: b}, end)) for p in reads for b in blocks]
        written = [(p, b, box_of(p, {launch.block: b}, end)) for p in writes for b in blocks]
        for (one, reader, mine), (other, writer, theirs) in product(read, written):
            both = common(mine, theirs) if reader != writer else None
            if both is None:
                continue
            if not any(may_write(region, both, {launch.block: reader}) for region in own):
                _report(other, one, (reader, writer), context)
                return


def _looked_at(launch: Launch) -> list[int]:
    assert isinstance(launch.blocks, int)
    count = int(launch.blocks)
    return sorted({*range(min(FIRST, count)), *range(max(0, count - LAST), count)})


def _report(write: Part, read: Part, pair: tuple[int, int], context: CheckContext) -> None:
    name = read.region.buffer.name
    context.report.add(
        "race",
        read.stmt.span,
        f"block {pair[0]} reads {show_region(read.region)}, which block {pair[1]} writes as "
        f"{show_region(write.region)}, and nothing makes one wait for the other",
        notes=(
            "Blocks run at the same time and in any order; barriers order what one block does.",
            f"Have each block read the parts of {name} that it wrote itself, or put T.sync_all() "
            "between the two.",
        ),
        related=(Related(write.stmt.span, f"block {pair[1]} writes it"),),
    )
