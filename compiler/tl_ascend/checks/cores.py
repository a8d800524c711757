"""Which half of the core a buffer belongs to: code in T.Scope must keep to its own."""

from __future__ import annotations

from tl_ascend.checks.context import Call, CheckContext
from tl_ascend.checks.operands import outside_of_ub
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import Block, Buffer, CoreScope, Region, TileOp, blocks_of, regions_of
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Core, Memory

_OWNERS = {
    Memory.UB: Core.VECTOR,
    Memory.L1: Core.CUBE,
    Memory.L0A: Core.CUBE,
    Memory.L0B: Core.CUBE,
    Memory.L0C: Core.CUBE,
}
_NAMES = {Core.VECTOR: "vector cores", Core.CUBE: "cube core"}


def scope_ownership(context: CheckContext) -> None:
    """The author's scopes name only what their core can reach; each buffer is told once."""
    told: set[tuple[Core, int]] = set()
    _block(context.before.body, None, context, told)


def _block(
    block: Block, core: Core | None, context: CheckContext, told: set[tuple[Core, int]]
) -> None:
    for stmt in block:
        if isinstance(stmt, TileOp) and core is not None:
            _operation(stmt, core, context, told)
        inner = stmt.core if isinstance(stmt, CoreScope) and not stmt.inferred else core
        for nested in blocks_of(stmt):
            _block(nested, inner, context, told)


def _operation(
    stmt: TileOp, core: Core, context: CheckContext, told: set[tuple[Core, int]]
) -> None:
    """Copies from one half to the other lead through GM and have their own rules; so have tiles
    that no core could use in this operation."""
    row = TABLE.get(stmt.op)
    if row is not None and outside_of_ub(Call(stmt, row)):
        return
    placed = [(region, context.memory(region)) for region in regions_of(stmt)]
    owners = {_OWNERS[memory] for _, memory in placed if memory in _OWNERS}
    if len(owners) != 1 or core in owners:
        return
    strange = [(region, memory) for region, memory in placed if memory in _OWNERS]
    if any((core, root(region.buffer).uid) in told for region, _ in strange):
        return
    told.update((core, root(region.buffer).uid) for region, _ in strange)
    region, memory = strange[0]
    assert memory is not None
    _report(stmt, region, memory, core, context)


def _report(
    stmt: TileOp, region: Region, memory: Memory, core: Core, context: CheckContext
) -> None:
    buffer: Buffer = region.buffer
    owner = _OWNERS[memory]
    letter, other = core.value, owner.value
    alternative = "T.alloc_L1" if owner is Core.VECTOR else "T.alloc_ub"
    context.report.add(
        "scope-ownership",
        stmt.span,
        f"{buffer.name} lies in {memory.value}, which belongs to the {_NAMES[owner]}: code in "
        f'Scope("{letter}") cannot reach it',
        notes=(
            f'Move the statement to T.Scope("{other}"), or allocate {buffer.name} with '
            f"{alternative}.",
        ),
        related=(Related(buffer.span, f"{buffer.name} is allocated here"),),
    )
