"""Tiles that are read although nothing ever writes them."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.checks.context import CheckContext, shape_text
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Alloc, Kernel, Region, TileOp, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE


def never_written(context: CheckContext) -> None:
    """What no statement of the kernel writes holds what another kernel has left there. Buffers with
    an address of the author's may share it with others on purpose."""
    kernel = context.before
    if any(isinstance(s, TileOp) and s.op not in TABLE for s in walk_stmts(kernel.body)):
        return
    written = {root(region.buffer).uid for region in _written(kernel)}
    allocated = {
        s.buffer.uid for s in walk_stmts(kernel.body) if isinstance(s, Alloc) and s.buffer.shape
    }
    told: set[int] = set()
    for stmt in walk_stmts(kernel.body):
        effect = effect_of(stmt)
        for region in (*effect.reads, *effect.scalars):
            buffer = root(region.buffer)
            place = context.after.placements.get(buffer.uid)
            if buffer.uid not in allocated or buffer.uid in written | told or place is None:
                continue
            if place.fixed:
                continue
            told.add(buffer.uid)
            _report(region, context)


def _written(kernel: Kernel) -> Iterator[Region]:
    for stmt in walk_stmts(kernel.body):
        yield from effect_of(stmt).writes


def _report(region: Region, context: CheckContext) -> None:
    buffer = region.buffer
    context.report.add(
        "unwritten",
        region.span,
        f"{buffer.name} is read here, and nothing in the kernel writes it",
        notes=("It holds whatever was in that memory before.",),
        related=(Related(buffer.span, f"{buffer.name}: {buffer.dtype}{shape_text(buffer.shape)}"),),
    )
