"""Slots of a tile that are read before anything has written them, be it in one turn of a loop alone.

A slot is an index of the first dimension. Loops of known lengths are gone through in order; what a
statement may write counts as written, and what it may not read as not read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tl_ascend.checks.bounds import parts_of_call
from tl_ascend.checks.certain import breaks_in, runs_through, told_where
from tl_ascend.checks.context import CheckContext, spans_of
from tl_ascend.checks.first_reads import first_reads, taken_by
from tl_ascend.checks.taken import Ranges, where_holds
from tl_ascend.checks.unwritten import from_other_core
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, free_vars
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import (
    Alloc,
    Block,
    CoreScope,
    For,
    If,
    Region,
    Stmt,
    TileOp,
    blocks_of,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show_region
from tl_ascend.ops.table import TABLE

MOST = 400  # statements that are gone through
_Turn = dict[Expr, int]


def unwritten_parts(context: CheckContext) -> None:
    """What a statement takes of a tile was written before, in every turn."""
    slots = _in_slots(context)
    if slots:
        walk = _Walk(context, slots)
        walk.block(context.before.body, {}, {}, certain=True)


def _in_slots(context: CheckContext) -> dict[int, set[int]]:
    """The tiles of which loops read one part after the other, with all of their slots."""
    stmts = walk_stmts(context.before.body)
    if any(isinstance(s, TileOp) and s.op not in TABLE for s in stmts):
        return {}
    found: dict[int, set[int]] = {}
    for region in (region for stmt in stmts for region in taken_by(stmt)):
        if region.buffer.rank > 1 and region.starts and isinstance(region.starts[0], Expr):
            found[region.buffer.uid] = set()
    tiles = {s.buffer.uid: s.buffer for s in stmts if isinstance(s, Alloc)} if found else {}
    told = first_reads(context.before) if found else {}
    for uid in list(found):
        place, tile = context.after.placements.get(uid), tiles.get(uid)
        size = tile.shape[0] if tile is not None and root(tile) is tile else None
        if place is None or place.fixed or uid in told or not isinstance(size, int):
            del found[uid]
        else:
            found[uid] = set(range(size))
    # Where something else is told of a statement, that may be why.
    wrong = {f.span for f in context.report.findings if f.level >= Severity.WARNING}
    for stmt in stmts if found else ():
        for uid in _tiles_of(stmt) & found.keys():
            told_of = not wrong.isdisjoint(spans_of(stmt))
            if told_of or _from_other_core(stmt, uid, context):
                found.pop(uid, None)
    return {uid: slots for uid, slots in found.items() if uid not in context.outside}


def _tiles_of(stmt: Stmt) -> set[int]:
    effect = effect_of(stmt)
    return {root(r.buffer).uid for r in (*effect.reads, *effect.writes, *effect.scalars)}


def _from_other_core(stmt: Stmt, uid: int, context: CheckContext) -> bool:
    place = context.after.placements[uid]
    written = {root(region.buffer).uid for region in effect_of(stmt).writes}
    return uid in written and from_other_core(stmt, place.memory, context)


@dataclass(slots=True)
class _Walk:
    """`left`: the slots of each tile that nothing can have written so far. A tile is left alone once one
    of its parts is told, or all are written."""

    context: CheckContext
    left: dict[int, set[int]]
    count: int = 0
    touching: set[int] = field(default_factory=set)  # statements, by identity
    taken: dict[int, tuple[Region, ...]] = field(default_factory=dict)  # by them, by the same

    def __post_init__(self) -> None:
        self._touches(self.context.before.body)

    def _touches(self, block: Block) -> bool:
        """Note the statements that touch the tiles, those around them included."""
        found = False
        for stmt in block:
            inside = [self._touches(inner) for inner in blocks_of(stmt)]
            if any(inside) or _tiles_of(stmt) & self.left.keys():
                self.touching.add(id(stmt))
                found = True
        return found

    def block(self, block: Block, turn: _Turn, all_turns: Ranges, certain: bool) -> None:
        for stmt in block:
            if id(stmt) not in self.touching:
                continue
            self.count += 1
            if self.count > MOST:
                self.left.clear()
            if not self.left:
                return
            if certain:
                self._reads(stmt, turn, all_turns)
            self._writes(stmt, turn)
            self._inside(stmt, turn, all_turns, certain)

    def _inside(self, stmt: Stmt, turn: _Turn, all_turns: Ranges, certain: bool) -> None:
        if isinstance(stmt, CoreScope):
            self.block(stmt.body, turn, all_turns, certain)
        elif isinstance(stmt, If):
            here = {var: (at, at) for var, at in turn.items()}
            ways = [any(where_holds(stmt.condition, here, way)) for way in (True, False)]
            for inner, runs in zip((stmt.then, stmt.other), ways, strict=True):
                if runs or not any(ways):
                    self.block(inner, turn, all_turns, certain and any(ways))
        elif isinstance(stmt, For) and runs_through(stmt):
            assert isinstance(stmt.start, int) and isinstance(stmt.extent, int)
            known = {**all_turns, stmt.var: (stmt.start, stmt.start + stmt.extent - 1)}
            for at in range(stmt.start, stmt.start + stmt.extent):
                self.block(stmt.body, {**turn, stmt.var: at}, known, certain)
                if not self.left:
                    return
        else:
            for inner in blocks_of(stmt):
                for nested in walk_stmts(inner):
                    self._writes(nested, {})
                if breaks_in(inner):
                    self.left.clear()

    def _reads(self, stmt: Stmt, turn: _Turn, all_turns: Ranges) -> None:
        if id(stmt) not in self.taken:
            self.taken[id(stmt)] = taken_by(stmt)
        for region in self.taken[id(stmt)]:
            left = self.left.get(region.buffer.uid)
            slots = _slots(region, turn) if left else None
            if left and slots is not None and slots and left.issuperset(slots):
                del self.left[region.buffer.uid]
                _report(region, turn, all_turns, self.context)

    def _writes(self, stmt: Stmt, turn: _Turn) -> None:
        regions = effect_of(stmt).writes
        for region in regions:
            if root(region.buffer).uid in self.left:
                break
        else:
            return
        exact = {r.buffer.uid: r for r in parts_of_call(stmt)} if isinstance(stmt, TileOp) else {}
        for region in regions:
            uid = root(region.buffer).uid
            if uid not in self.left:
                continue
            whole = root(region.buffer) is not region.buffer or region.form == "start"
            slots = None if whole and uid not in exact else _slots(exact.get(uid, region), turn)
            self.left[uid] -= self.left[uid] if slots is None else slots
            if not self.left[uid]:
                del self.left[uid]


def _slots(region: Region, turn: _Turn) -> set[int] | None:
    """The indices that a part has in the first dimension; None where these are not known."""
    start, extent = substitute(region.starts[0], turn), region.extents[0]
    if type(start) is not int or not isinstance(extent, int):
        return None
    return set(range(start, start + extent))


def _report(region: Region, turn: _Turn, all_turns: Ranges, context: CheckContext) -> None:
    names = set(free_vars(region.starts[0])) if isinstance(region.starts[0], Expr) else set()
    where = told_where({var: at for var, at in turn.items() if var in names}, all_turns)
    buffer = region.buffer
    context.report.add(
        "unwritten",
        region.span,
        f"{show_region(region)} is read here{where} before anything has written that part",
        notes=("It holds whatever was in that memory before.",),
        severity=Severity.WARNING,
        related=(Related(buffer.span, f"{buffer.name}: {buffer.shape[0]} parts"),),
    )
