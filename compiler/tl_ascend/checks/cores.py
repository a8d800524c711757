"""Which half of the core a buffer belongs to: code in T.Scope must keep to its own."""

from __future__ import annotations

from tl_ascend.checks.causes import lying_in
from tl_ascend.checks.context import Call, CheckContext
from tl_ascend.checks.operands import outside_of_ub
from tl_ascend.diagnostics.report import Applicability, Cause, Edit, Fix, Related
from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    CoreScope,
    Region,
    TileOp,
    blocks_of,
    regions_of,
    walk_stmts,
)
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


_MOST_NAMES = 4


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
        inner = core
        if isinstance(stmt, CoreScope) and not stmt.inferred:
            inner = None if _wrong_letter(stmt, context) else stmt.core
        for nested in blocks_of(stmt):
            _block(nested, inner, context, told)


def _wrong_letter(scope: CoreScope, context: CheckContext) -> bool:
    """True where a scope names several tiles, all of them of the other half, which is told."""
    names: dict[int, str] = {}
    for stmt in walk_stmts(scope.body):
        if isinstance(stmt, TileOp):
            placed = _owned(stmt, context)
            if any(_OWNERS[memory] is scope.core for _, memory in placed):
                return False
            names |= {root(region.buffer).uid: region.buffer.name for region, _ in placed}
    if len(names) < 2:
        return False
    other = Core.VECTOR if scope.core is Core.CUBE else Core.CUBE
    context.report.add(
        "scope-ownership",
        scope.span,
        f'Scope("{scope.core.value}") is code of the {_NAMES[scope.core]}, and all tiles in it lie in '
        f"memory of the {_NAMES[other]}: {_listed(list(names.values()))}",
        notes=(f'Write T.Scope("{other.value}").',),
        fixes=_other_letter(scope, other),
    )
    return True


def _owned(stmt: TileOp, context: CheckContext) -> list[tuple[Region, Memory]]:
    """The tiles of an operation in memory of a core, each with its memory."""
    placed = [(region, context.memory(region)) for region in regions_of(stmt)]
    return [(region, memory) for region, memory in placed if memory in _OWNERS]


def _listed(names: list[str]) -> str:
    first, left = names[:_MOST_NAMES], len(names) - _MOST_NAMES
    if left > 0:
        return f"{', '.join(first)} and {left} more"
    return f"{', '.join(first[:-1])} and {first[-1]}"


def _other_letter(scope: CoreScope, other: Core) -> tuple[Fix, ...]:
    """Certain where nothing in the scope speaks to the other half."""
    if scope.letter is None:
        return ()
    calls = [stmt for stmt in walk_stmts(scope.body) if isinstance(stmt, TileOp)]
    alone = not any("cross_flag" in call.op for call in calls)
    kind = Applicability.SAFE if alone else Applicability.UNSAFE
    edit = Edit(scope.letter, f'"{other.value}"')
    return (Fix(f'Write T.Scope("{other.value}")', (edit,), kind),)


def _operation(
    stmt: TileOp, core: Core, context: CheckContext, told: set[tuple[Core, int]]
) -> None:
    """Copies from one half to the other lead through GM and have their own rules; so have tiles
    that no core could use in this operation."""
    row = TABLE.get(stmt.op)
    if row is not None and outside_of_ub(Call(stmt, row)):
        return
    strange = _owned(stmt, context)
    owners = {_OWNERS[memory] for _, memory in strange}
    if len(owners) != 1 or core in owners:
        return
    uids = {root(region.buffer).uid for region, _ in strange}
    if any((core, uid) in told for uid in uids):
        return
    told.update((core, uid) for uid in uids)
    region, memory = strange[0]
    reached = [m for m, owner in _OWNERS.items() if owner is core]
    causes = lying_in(region, *reached) if len(uids) == 1 else ()
    _report(stmt, region, memory, core, context, causes)


def _report(
    stmt: TileOp,
    region: Region,
    memory: Memory,
    core: Core,
    context: CheckContext,
    causes: tuple[Cause, ...],
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
        causes=causes,
    )
