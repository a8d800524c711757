"""The repair of an accumulator that nothing sets: the first product of each accumulation sets it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl_ascend.diagnostics.report import Applicability, Edit, Fix, Where
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import Block, CoreScope, For, If, Stmt, TileOp, blocks_of, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE

IN_ORDER = ("serial", "pipelined", "unroll")


@dataclass(frozen=True, slots=True)
class _Use:
    """A statement that touches the accumulator, and the statements around it."""

    stmt: Stmt
    around: tuple[Stmt, ...]


def init_fix(body: Block, uid: int, adding: list[TileOp]) -> Fix | None:
    """None where it is not certain which product is the first of an accumulation. `adding`: the
    products that are added to the buffer `uid`, in order."""
    uses = list(_uses(body, uid, ()))
    products = [use for use in uses if use.stmt in adding]
    readers = [use for use in uses if use.stmt not in adding]
    if not products or not readers or len({p.stmt.span for p in products}) < len(products):
        return None
    first, inner = _first(products, readers)
    if first is None:
        return None
    shared = [s for s in first.around if s not in inner]
    loops = [s for s in inner if isinstance(s, For)]
    restarts = any(isinstance(s, For) and s.kind != "persistent" for s in shared)
    assert isinstance(first.stmt, TileOp)
    return _fix(first.stmt, loops, restarts)


def _first(products: list[_Use], readers: list[_Use]) -> tuple[_Use | None, list[Stmt]]:
    """The product that comes first, with the statements around it that no reader of the sum is in. A
    branch counts where it tells of the first iteration whether it is taken."""
    for product in products:
        inner = [s for s in product.around if not any(s in r.around for r in readers)]
        loops = [s for s in inner if isinstance(s, For)]
        if len(loops) > 1 or not all(_has_first(loop) for loop in loops):
            break
        if not all(isinstance(s, (For, CoreScope, If)) for s in inner):
            break
        taken = [_taken(s, product.stmt, loops) for s in inner if isinstance(s, If)]
        if all(taken):
            return product, inner
        if False not in taken:
            break
    return None, []


def _taken(branch: If, stmt: Stmt, loops: list[For]) -> bool | None:
    """Whether a statement in a branch is reached in the first iteration."""
    holds = substitute(branch.condition, {loop.var: loop.start for loop in loops})
    if not isinstance(holds, (bool, int)):
        return None
    return any(one is stmt for one in walk_stmts(branch.then if holds else branch.other))


def _uses(block: Block, uid: int, around: tuple[Stmt, ...]) -> Iterator[_Use]:
    for stmt in block:
        effect = effect_of(stmt)
        if any(root(r.buffer).uid == uid for r in (*effect.reads, *effect.writes)):
            yield _Use(stmt, around)
        for inner in blocks_of(stmt):
            yield from _uses(inner, uid, (*around, stmt))


def _has_first(loop: For) -> bool:
    """True where the text can say which iteration comes first."""
    plain = loop.var.name.isidentifier() and loop.var.name != "_"
    return loop.kind in IN_ORDER and type(loop.start) is int and plain


def _fix(stmt: TileOp, loops: list[For], restarts: bool) -> Fix:
    value = f"({loops[0].var.name} == {loops[0].start})" if loops else "True"
    place = stmt.spans[TABLE[stmt.op].index("init")]
    within = replace(loops[0].span, part="") if loops else None
    if place == stmt.span:
        edit = Edit(place, f"init={value}", Where.ARGUMENT, within)
    else:
        edit = Edit(place, value, Where.OVER, within)
    # In a loop that also reads the sum, it may be meant to go on from one iteration to the next.
    meant = Applicability.UNSAFE if restarts else Applicability.SAFE
    return Fix(f"Give init={value}", (edit,), meant)
