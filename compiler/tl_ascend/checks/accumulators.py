"""Accumulators of the matrix unit: something must set them before products are added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tl_ascend.checks.accumulation_fix import IN_ORDER, init_fix
from tl_ascend.checks.certain import runs_through
from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.report import Fix, Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, free_vars
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import Block, CoreScope, For, Region, Stmt, TileOp, walk_stmts, within
from tl_ascend.ir.overwritten import written_by
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Memory


def gemm_init(context: CheckContext) -> None:
    """A product without `init` adds to what L0C holds; where no statement of the kernel ever sets the
    accumulator, that is whatever was there before."""
    adding: dict[int, list[TileOp]] = {}
    set_by_others: set[int] = set()
    for stmt in walk_stmts(context.before.body):
        target = accumulator(stmt) if isinstance(stmt, TileOp) else None
        if isinstance(stmt, TileOp) and target is not None and _adds(stmt):
            adding.setdefault(root(target.buffer).uid, []).append(stmt)
        else:
            set_by_others.update(root(r.buffer).uid for r in effect_of(stmt).writes)
    for uid, products in adding.items():
        if uid not in set_by_others:
            fix = init_fix(context.before.body, uid, products)
            _report(products[0], "never set", fix, context)


def accumulator(stmt: TileOp) -> Region | None:
    """What a product is added to; None of other operations."""
    row = TABLE.get(stmt.op)
    if row is None or "init" not in [p.name for p in row.params]:
        return None
    found = stmt.args[row.index("C")]
    return found if isinstance(found, Region) else None


def _adds(stmt: TileOp) -> bool:
    """`init` is False in the text, or left out."""
    return stmt.args[TABLE[stmt.op].index("init")] is False


def _report(stmt: TileOp, set_: str, fix: Fix | None, context: CheckContext) -> None:
    target = accumulator(stmt)
    assert target is not None
    if context.memory(target) is not Memory.L0C:
        return  # what is told as well
    name = target.buffer.name
    context.report.add(
        "gemm-init",
        stmt.span,
        f"{name} is {set_}: without init the product is added to whatever L0C holds",
        notes=("Give init=True, or in a loop over k init=(k == 0).",),
        related=(Related(target.buffer.span, f"{name} is allocated here"),),
        fixes=(fix,) if fix else (),
    )


def unset_sum(first: TileOp, context: CheckContext) -> None:
    """`first` adds to an accumulator that only later statements set."""
    target = accumulator(first)
    assert target is not None
    uid = root(target.buffer).uid
    adding = [product for product in _products(context, uid) if _adds(product)]
    if any(uid in written_by((s,)) and s not in adding for s in walk_stmts(context.before.body)):
        fix = init_fix(context.before.body, uid, adding)
        _report(first, "set only later", fix, context)


def first_product(context: CheckContext) -> None:
    """The product that comes first in the kernel sets its accumulator: its `init` is true there."""
    seen: set[int] = set()
    for stmt, around in _in_order(context.before.body, ()):
        target = accumulator(stmt) if isinstance(stmt, TileOp) else None
        if isinstance(stmt, TileOp) and target is not None:
            uid = root(target.buffer).uid
            if uid not in seen and _alone(uid, context):
                _first(stmt, uid, around, context)
        seen.update(root(region.buffer).uid for region in effect_of(stmt).writes)


def _in_order(block: Block, around: tuple[Stmt, ...]) -> Iterator[tuple[Stmt, tuple[Stmt, ...]]]:
    for stmt in block:
        yield stmt, around
        inner = stmt.body if isinstance(stmt, (For, CoreScope)) else ()
        yield from _in_order(inner, (*around, stmt))
        if not inner:  # what branches write may have been set in them
            for other in within(stmt)[1:]:
                yield other, (*around, stmt)


def _first(stmt: TileOp, uid: int, around: tuple[Stmt, ...], context: CheckContext) -> None:
    init = stmt.args[TABLE[stmt.op].index("init")]
    if not isinstance(init, Expr) or not all(isinstance(s, (For, CoreScope)) for s in around):
        return
    starts = (v for v in _starts(around, context) if substitute(init, v) in (False, 0))
    values = next(starts, None)
    if values is None:
        return
    target = accumulator(stmt)
    assert target is not None
    firsts = [init, *(s.start for s in around if isinstance(s, For))]
    names = dict.fromkeys(var for value in firsts for var in free_vars(value))
    used = ", ".join(f"{var.name} = {values[var]}" for var in names if var in values)
    text = f"init={show(init)} is false in the first product" + (f", where {used}" if used else "")
    name = target.buffer.name
    fix = init_fix(context.before.body, uid, _products(context, uid))
    _tell(stmt, f"{text}: it is added to whatever {name} holds", fix, context)


def _starts(around: Sequence[Stmt], context: CheckContext) -> Iterator[Mapping[Expr, Any]]:
    """The variables in the first iterations: in any block, and in the first and the last one where the
    loops begin according to the block."""
    loops = [s for s in around if isinstance(s, For)]
    known = [s for s in loops if s.kind in IN_ORDER and type(s.start) is int]
    yield {s.var: s.start for s in known}
    launch = context.before.launch
    if launch is None or type(launch.blocks) is not int or len(known) == len(loops):
        return
    for block in (0, launch.blocks - 1):
        values: dict[Expr, Any] = {launch.block: block, launch.subblock: 0}
        for loop in loops:
            start, turns = (substitute(v, values) for v in (loop.start, loop.extent))
            if loop.kind not in IN_ORDER or type(start) is not int or type(turns) is not int:
                break
            if turns < 1:
                break
            values[loop.var] = start
        else:
            yield values


def restarted_sum(context: CheckContext) -> None:
    """A sum over the iterations of a loop is not started anew in each of them."""
    for loop in walk_stmts(context.before.body):
        if isinstance(loop, For) and loop.kind in IN_ORDER and runs_through(loop):
            assert isinstance(loop.extent, int)
            if loop.extent > 1:
                _restarted(loop, loop.extent, context)


def _restarted(loop: For, count: int, context: CheckContext) -> None:
    always = [s for s, around in _in_order(loop.body, ()) if all(_is_scope(a) for a in around)]
    for stmt in always:
        target = accumulator(stmt) if isinstance(stmt, TileOp) else None
        if not isinstance(stmt, TileOp) or target is None or target.form != "whole":
            continue
        uid = root(target.buffer).uid
        if stmt.args[TABLE[stmt.op].index("init")] is not True or not _varies(stmt, loop):
            continue
        inside = walk_stmts(loop.body)
        if not _alone(uid, context) or any(_touches(s, uid) for s in inside if s is not stmt):
            continue
        fix = init_fix(context.before.body, uid, _products(context, uid))
        text = (
            f"init=True starts {target.buffer.name} anew in each of the {count} iterations over "
            f"{loop.var.name}: only the product of the last one is left"
        )
        _tell(stmt, text, fix, context)


def _alone(uid: int, context: CheckContext) -> bool:
    """True where only operations that are known, and no other buffer, reach the accumulator."""
    place = context.after.placements.get(uid)
    known = all(s.op in TABLE for s in walk_stmts(context.before.body) if isinstance(s, TileOp))
    return known and place is not None and not place.fixed


def _is_scope(stmt: Stmt) -> bool:
    return isinstance(stmt, CoreScope)


def _varies(product: TileOp, loop: For) -> bool:
    """True where an operand is filled in the loop with what depends on the iteration."""
    operands = {root(region.buffer).uid for region in effect_of(product).reads}
    for stmt in walk_stmts(loop.body):
        effect = effect_of(stmt)
        if any(root(region.buffer).uid in operands for region in effect.writes):
            starts = [start for region in effect.reads for start in region.starts]
            if any(loop.var in free_vars(start) for start in starts):
                return True
    return False


def _touches(stmt: Stmt, uid: int) -> bool:
    effect = effect_of(stmt)
    return any(root(r.buffer).uid == uid for r in (*effect.reads, *effect.writes, *effect.scalars))


def _products(context: CheckContext, uid: int) -> list[TileOp]:
    found = []
    for stmt in walk_stmts(context.before.body):
        target = accumulator(stmt) if isinstance(stmt, TileOp) else None
        if isinstance(stmt, TileOp) and target is not None and root(target.buffer).uid == uid:
            found.append(stmt)
    return found


def _tell(stmt: TileOp, text: str, fix: Fix | None, context: CheckContext) -> None:
    place = stmt.spans[TABLE[stmt.op].index("init")]
    notes = (
        "The product of the first iteration sets the accumulator, the others are added to it.",
    )
    context.report.add("gemm-init", place, text, notes=notes, fixes=(fix,) if fix else ())
