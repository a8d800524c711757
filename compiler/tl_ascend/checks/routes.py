"""What upstream's programs of route pto do differently: other numbers, or operands overwritten."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.checks.context import Call, CheckContext
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Block, CoreScope, For, Region, Stmt, TileOp, blocks_of, within
from tl_ascend.ir.storage import root

STEPS = (1, -1)


def progression_step(call: Call, context: CheckContext) -> None:
    """Of the step its instruction takes the sign alone."""
    step = call.arg("diff_value")
    if not _on_pto(context) or not isinstance(step, (int, float)) or step in STEPS:
        return
    sign = 1 if step >= 0 else -1
    name = call.op.args[0].buffer.name if isinstance(call.op.args[0], Region) else "the tile"
    context.report.add(
        "progression-step",
        call.span("diff_value"),
        f"a step of {step}: upstream's route pto takes its sign alone, and counts by {sign}",
        notes=(
            f"Count by 1 from 0, then multiply {name} by {step} and add the first value. The programs "
            "of tl-ascend do so themselves.",
        ),
    )


def lacking_operation(call: Call, context: CheckContext) -> None:
    """Upstream's compiler has no code for it, and stops."""
    route = context.before.options.route
    if context.upstream == "none" or route not in call.row.lacking_on:
        return
    other = "ascendc" if route == "pto" else "pto"
    context.report.add(
        "route-operation",
        call.op.span,
        f"{call.name}: upstream's compiler has no code for it on route {route}",
        notes=(
            f"Use target={other!r}, or other operations. tl-ascend has code for it on both routes.",
        ),
    )


def spoilt_operands(call: Call, context: CheckContext) -> None:
    """Told only where what was overwritten is certainly read."""
    if not _on_pto(context):
        return
    target = call.op.args[0]
    for param, region in zip(call.row.params, call.op.args, strict=False):
        if "pto" not in param.spoilt_on or not isinstance(region, Region):
            continue
        uid = root(region.buffer).uid
        if isinstance(target, Region) and root(target.buffer).uid == uid:
            continue
        again = _next_use(context.before.body, call.op, region)
        if again is not None:
            _tell(call, region, again, context)


def _on_pto(context: CheckContext) -> bool:
    return context.upstream != "none" and context.before.options.route == "pto"


def _tell(call: Call, region: Region, again: Stmt, context: CheckContext) -> None:
    name = region.buffer.name
    at = "in the next iteration" if again is call.op else "afterwards"
    context.report.add(
        "operand-spoilt",
        region.span,
        f"{call.name} overwrites {name} on upstream's route pto, and {name} is read {at}",
        notes=(f"Give {call.name} a copy of {name}. The programs of tl-ascend do so themselves.",),
        related=(Related(again.span, f"reads {name}"),) if again is not call.op else (),
    )


def _next_use(body: Block, op: Stmt, region: Region) -> Stmt | None:
    """The statement that reads a tile next, where it certainly comes, and nothing writes it
    before."""
    uid = root(region.buffer).uid
    for stmt in _after(body, op):
        touched = _touching(stmt, uid)
        if touched is None:
            continue
        again = touched is op
        return touched if any(_meets(region, r, again) for r in _read(touched)) else None
    return None


def _meets(one: Region, other: Region, later: bool) -> bool:
    """True where two regions certainly share elements. `later`: the second is that of another
    iteration."""
    if root(one.buffer) is not root(other.buffer):
        return False
    if "whole" in (one.form, other.form):
        return True
    fixed = not any(isinstance(start, Expr) for start in one.starts)
    return one.starts == other.starts and one.extents == other.extents and (fixed or not later)


def _after(body: Block, op: Stmt) -> Iterator[Stmt]:
    """What runs after a statement: the rest of its block, its loop again, what follows that."""
    for at, stmt in enumerate(body):
        if stmt is op:
            yield from body[at + 1 :]
            return
        if any(inner is op for inner in within(stmt)):
            if not isinstance(stmt, (CoreScope, For)):
                return  # a branch: what it leads to is not followed
            yield from _after(stmt.body, op)
            if isinstance(stmt, For) and isinstance(stmt.extent, int) and stmt.extent > 1:
                yield from stmt.body
            yield from body[at + 1 :]
            return


def _touching(stmt: Stmt, uid: int) -> Stmt | None:
    """The first statement within one that touches a buffer: where it may be left out, the whole."""
    for inner in within(stmt):
        effect = effect_of(inner)
        every = (*effect.reads, *effect.scalars, *effect.writes)
        if any(root(region.buffer).uid == uid for region in every):
            certain = stmt is inner or _runs(stmt, inner)
            return inner if certain else stmt
    return None


def _runs(stmt: Stmt, inner: Stmt) -> bool:
    """True where a statement certainly comes to one within it."""
    if not isinstance(stmt, (CoreScope, For)):
        return False
    if isinstance(stmt, For) and not (isinstance(stmt.extent, int) and stmt.extent > 0):
        return False
    for block in blocks_of(stmt):
        for child in block:
            if child is inner:
                return True
            if any(s is inner for s in within(child)):
                return _runs(child, inner)
    return False


def _read(stmt: Stmt) -> Iterator[Region]:
    if isinstance(stmt, (TileOp,)) or not blocks_of(stmt):
        effect = effect_of(stmt)
        yield from (*effect.reads, *effect.scalars)
