"""The repair of an accumulator that nothing sets: the first product of each accumulation sets it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl_ascend.diagnostics.report import Applicability, Edit, Fix, Where
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Block, CoreScope, For, Stmt, TileOp, blocks_of
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
    first = products[0]
    inner = [s for s in first.around if not any(s in r.around for r in readers)]
    shared = [s for s in first.around if s not in inner]
    if not all(isinstance(s, (For, CoreScope)) for s in inner):
        return None
    loops = [s for s in inner if isinstance(s, For)]
    if len(loops) > 1 or not all(_has_first(loop) for loop in loops):
        return None
    restarts = any(isinstance(s, For) and s.kind != "persistent" for s in shared)
    assert isinstance(first.stmt, TileOp)
    return _fix(first.stmt, loops, restarts)


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
