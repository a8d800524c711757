"""Names of buffers, by which upstream's compiler tells them apart."""

from __future__ import annotations

from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import MEMORY_PLANNING, Alloc, Buffer, regions_of, walk_stmts
from tl_ascend.ir.storage import ON_CHIP, root


def duplicate_names(context: CheckContext) -> None:
    """Upstream's planner knows buffers by name, and refuses the second of one name."""
    kernel = context.before
    if context.upstream == "none" or not kernel.options.on(MEMORY_PLANNING):
        return
    used = {root(r.buffer).uid for stmt in walk_stmts(kernel.body) for r in regions_of(stmt)}
    first: dict[str, Buffer] = {}
    for stmt in walk_stmts(kernel.body):
        buffer = stmt.buffer if isinstance(stmt, Alloc) else None
        if buffer is None or buffer.alias_of is not None or buffer.uid not in used:
            continue
        place = context.after.placements.get(buffer.uid)
        if place is None or place.memory not in ON_CHIP:
            continue
        other = first.setdefault(buffer.name, buffer)
        if other.uid != buffer.uid and other.span != buffer.span:
            _report(buffer, other, context)


def _report(buffer: Buffer, other: Buffer, context: CheckContext) -> None:
    context.report.add(
        "duplicate-name",
        buffer.span,
        f"a second buffer with the name {buffer.name}: with {MEMORY_PLANNING} upstream's compiler "
        "stops here",
        notes=("Its planner tells buffers apart by their names. Give this one a name of its own.",),
        related=(Related(other.span, f"the first {buffer.name}"),),
    )
