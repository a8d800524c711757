"""Accumulators of the matrix unit: something must set them before products are added."""

from __future__ import annotations

from tl_ascend.checks.accumulation_fix import init_fix
from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.report import Fix, Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Region, TileOp, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE


def gemm_init(context: CheckContext) -> None:
    """A product without `init` adds to what L0C holds; where no statement of the kernel ever sets the
    accumulator, that is whatever was there before."""
    adding: dict[int, list[TileOp]] = {}
    set_by_others: set[int] = set()
    for stmt in walk_stmts(context.before.body):
        target = _accumulator(stmt) if isinstance(stmt, TileOp) else None
        if isinstance(stmt, TileOp) and target is not None and _adds(stmt):
            adding.setdefault(root(target.buffer).uid, []).append(stmt)
        else:
            set_by_others.update(root(r.buffer).uid for r in effect_of(stmt).writes)
    for uid, products in adding.items():
        if uid not in set_by_others:
            fix = init_fix(context.before.body, uid, products)
            _report(products[0], fix, context)


def _accumulator(stmt: TileOp) -> Region | None:
    row = TABLE.get(stmt.op)
    if row is None or "init" not in [p.name for p in row.params]:
        return None
    found = stmt.args[row.index("C")]
    return found if isinstance(found, Region) else None


def _adds(stmt: TileOp) -> bool:
    """`init` is False in the text, or left out."""
    return stmt.args[TABLE[stmt.op].index("init")] is False


def _report(stmt: TileOp, fix: Fix | None, context: CheckContext) -> None:
    target = _accumulator(stmt)
    assert target is not None
    name = target.buffer.name
    context.report.add(
        "gemm-init",
        stmt.span,
        f"{name} is never set: without init the product is added to whatever L0C holds",
        notes=("Give init=True, or in a loop over k init=(k == 0).",),
        related=(Related(target.buffer.span, f"{name} is allocated here"),),
        fixes=(fix,) if fix else (),
    )
