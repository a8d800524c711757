"""Values that upstream's split of the cores keeps from the vector cores: it leaves every store of one
element that does not go to the UB to the cube core alone."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.expr import Expr, Load, loads
from tl_ascend.ir.nodes import (
    AUTO_CV_COMBINE,
    Block,
    Buffer,
    For,
    If,
    Stmt,
    Store,
    TileOp,
    While,
    blocks_of,
    exprs_of,
    regions_of,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Memory


def lost_stores(context: CheckContext) -> None:
    """A variable that vector code reads, and a tensor that it stores elements of, are stored to there.
    A kernel is told once."""
    kernel = context.before
    if context.upstream == "none" or not kernel.options.on(AUTO_CV_COMBINE):
        return
    read = _read_by_vector_code(context)
    tiles = _of_tiles(kernel.body)
    lost: dict[int, Store] = {}
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, Store) and not _first_value(stmt) and id(stmt) not in tiles:
            target = root(stmt.buffer)
            if target.uid in read or target.scope == "GM" and _out_of_ub(stmt, context):
                lost.setdefault(target.uid, stmt)
    if lost:
        _report(list(lost.values()), read, context)


def _of_tiles(body: Block) -> set[int]:
    """The stores of T.Parallel, by identity, of which upstream makes operations on tiles first."""
    loops = [s for s in walk_stmts(body) if isinstance(s, For) and s.kind == "parallel"]
    return {id(stmt) for loop in loops for stmt in walk_stmts(loop.body)}


def _first_value(store: Store) -> bool:
    """A constant that a variable is allocated with is no store in upstream's program."""
    return store.span == store.buffer.span and not isinstance(store.value, Expr)


def _read_by_vector_code(context: CheckContext) -> dict[int, Span]:
    """The variables, by uid, each with a statement that reads it."""
    found: dict[int, Span] = {}
    for stmt in walk_stmts(context.before.body):
        names = [load.buffer.uid for load in _loads(stmt) if load.buffer.scope == "var"]
        if names and _is_vector(stmt, context):
            for uid in names:
                found.setdefault(uid, stmt.span)
    return found


def _loads(stmt: Stmt) -> Iterator[Load]:
    for value in exprs_of(stmt):
        yield from loads(value)


def _is_vector(stmt: Stmt, context: CheckContext) -> bool:
    if isinstance(stmt, (For, If, While)):
        return any(_is_vector(s, context) for b in blocks_of(stmt) for s in walk_stmts(b))
    if isinstance(stmt, Store):
        return _in_ub(stmt.buffer, context)
    return isinstance(stmt, TileOp) and any(_in_ub(r.buffer, context) for r in regions_of(stmt))


def _in_ub(buffer: Buffer, context: CheckContext) -> bool:
    place = context.after.placements.get(root(buffer).uid)
    return place is not None and place.memory is Memory.UB


def _out_of_ub(store: Store, context: CheckContext) -> bool:
    return any(_in_ub(load.buffer, context) for load in loads(store.value))


def _report(lost: list[Store], read: dict[int, Span], context: CheckContext) -> None:
    first, *others = lost
    target = root(first.buffer)
    related = [Related(other.span, f"{other.buffer.name}, too") for other in others]
    if target.uid in read:
        text = f"and vector code reads {target.name} as it was before"
        related.insert(0, Related(read[target.uid], f"{target.name} is read on the vector cores"))
    else:
        text = "which does not have what it stores"
    context.report.add(
        "lost-store",
        first.span,
        f"upstream's compiler keeps this store to {target.name} on the cube core alone, {text}",
        notes=(
            f"With {AUTO_CV_COMBINE} it takes stores of single elements off the vector cores, but those "
            "to the UB. Keep the value in a tile of the UB, or split the cores by T.Scope without that "
            "option.",
            "The programs of tl-ascend store on each core that reads.",
        ),
        related=tuple(related),
    )
