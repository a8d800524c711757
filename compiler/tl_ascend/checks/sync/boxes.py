"""The bytes that a step certainly touches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tl_ascend.checks.sync.branches import Given
from tl_ascend.checks.sync.copies import watched
from tl_ascend.checks.sync.events import Access, Box, Event, Kind, Program
from tl_ascend.checks.sync.shared import Shared, shared_tiles
from tl_ascend.checks.sync.stretches import Stretches
from tl_ascend.checks.sync.values import Rule, Unknown, Values, is_size, rule_of
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, free_vars, loads
from tl_ascend.ir.geometry import transfer
from tl_ascend.ir.nodes import (
    Buffer,
    Kernel,
    Region,
    Stmt,
    TileOp,
    regions_of,
    walk_stmts,
)
from tl_ascend.ir.storage import elements, root
from tl_ascend.target.hardware import Core, Memory

HOMES = {
    Memory.UB: Core.VECTOR,
    **dict.fromkeys((Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C), Core.CUBE),
}

_NO_LIMIT = 1 << 62
_Rule = Rule | int  # a number is what it says
_Rules = tuple[tuple[_Rule, _Rule, "_Rule | None"], ...]


class _Side(NamedTuple):
    """One operand of a step. `box`: where no variable moves it; else `rules` give, for each dimension,
    start, extent and what limits the two."""

    buffer: Buffer
    uid: int
    write: bool
    gm: bool
    added: bool
    box: Box | None
    rules: _Rules = ()
    exprs: tuple[Any, ...] = ()


@dataclass(slots=True, eq=False)
class Common:
    """What all plans of a kernel have in common. `only`: the buffers whose accesses count; None: all do;
    `numbers`: for things, equal for equal ones; `vague`: the buffers of which more may be written
    than is known; `shared`: the tiles that share bytes with others."""

    shared: dict[int, Shared]
    only: set[int] | None = None
    numbers: dict[object, int] = field(default_factory=dict)
    vague: set[int] = field(default_factory=set)

    def number(self, thing: object) -> int:
        """Quicker to compare than the thing."""
        return self.numbers.setdefault(thing, len(self.numbers))


@dataclass(slots=True, eq=False)
class Plan:
    """The operands of a step, the numbers that move them, the names and scalars (`cells`) that these
    are made of, and what was found for their values. `sized`: a symbolic dimension is among them;
    `uids`: of the buffers."""

    common: Common
    sides: tuple[_Side, ...]
    uids: frozenset[int]
    rules: tuple[_Rule, ...]
    names: tuple[Expr, ...]
    cells: tuple[int, ...]
    sized: bool
    kept: dict[tuple[Any, ...], tuple[Access, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, common: Common, sides: tuple[_Side, ...]) -> Plan:
        """What the sides depend on."""
        uids = frozenset(side.uid for side in sides)
        if common.shared:
            uids |= {common.shared[uid].uid for uid in uids if uid in common.shared}
        exprs = [e for side in sides for e in side.exprs]
        if not exprs:
            return cls(common, sides, uids, (), (), (), False)
        names = tuple(dict.fromkeys(v for e in exprs for v in free_vars(e)))
        taken = tuple(dict.fromkeys(load for e in exprs for load in loads(e)))
        cells = tuple(dict.fromkeys(root(load.buffer).uid for load in taken)) if taken else ()
        rules = tuple(rule for s in sides for one in s.rules for rule in one if rule is not None)
        sized = any(map(is_size, names))
        return cls(common, sides, uids, rules, (*names, *taken), cells, sized)

    def accesses(self, values: Values, part: bool = False) -> tuple[Access, ...]:
        """What the step touches. `part`: a tile is moved in part, its first element alone is
        certain."""
        only = self.common.only
        if only is not None and only.isdisjoint(self.uids):
            return ()
        key: tuple[Any, ...] = (part,)
        if self.rules:
            key = (part, *map(values.env.get, self.names))
            if self.sized or self.cells:
                key += _more(self, values)
        known = self.kept.get(key)
        if known is None:
            numbers = [r if r.__class__ is int else _number(r, values) for r in self.rules]
            known = self.kept[key] = self._made(numbers, part)
        return known

    def _made(self, numbers: list[Any], part: bool) -> tuple[Access, ...]:
        rest, shared = iter(numbers), self.common.shared
        found: dict[tuple[int, int, bool], Access] = {}
        for side in self.sides:
            box, exact = (side.box, True) if side.box is not None else _box(side.rules, rest)
            if side.write and not exact:
                self.common.vague.add(side.uid)
            if box is None:
                continue
            if part and not side.gm:
                box = tuple((low, low + 1) for low, _ in box)
            number = self.common.number(box)
            key = side.uid, number, side.write
            if key not in found:
                found[key] = Access(
                    side.buffer, side.uid, box, number, side.write, side.gm, side.added
                )
                if shared and side.uid in shared:
                    self._beside(shared[side.uid], found[key], found)
        return tuple(found.values())

    def _beside(
        self, tile: Shared, access: Access, found: dict[tuple[int, int, bool], Access]
    ) -> None:
        """The same where other tiles may touch it, too."""
        run = tile.run(access.box)
        if run is not None:
            number = self.common.number(run)
            other = access._replace(uid=tile.uid, box=run, number=number)
            found.setdefault((tile.uid, number, access.write), other)


def _more(of: Plan | _Sizes, values: Values) -> tuple[Any, ...]:
    """Equal where scalars and symbolic dimensions leave numbers as they are."""
    key = tuple(map(values.cells.get, of.cells))
    if of.sized:
        values.sized = True
        key += (values.policy.size,)
    return key


@dataclass(slots=True, eq=False)
class _Sizes:
    """What a copy moves of its rows and columns: each number with that of the tile behind it; `missing`:
    what is said where there are none. `kept`: what was found for the values of `names` and `cells`."""

    rules: tuple[Rule, ...]
    missing: bool | None
    names: tuple[Expr, ...] = ()
    cells: tuple[int, ...] = ()
    sized: bool = False
    kept: dict[tuple[Any, ...], bool | None] = field(default_factory=dict)

    @classmethod
    def of(cls, *sizes: Any) -> _Sizes:
        names = tuple(dict.fromkeys(v for size in sizes for v in free_vars(size)))
        cells = tuple(dict.fromkeys(root(x.buffer).uid for size in sizes for x in loads(size)))
        return cls(tuple(map(rule_of, sizes)), None, names, cells, any(map(is_size, names)))

    def key(self, values: Values) -> tuple[Any, ...]:
        """Equal where the numbers are."""
        key = tuple(map(values.env.get, self.names))
        return key + _more(self, values) if self.sized or self.cells else key

    def partial(self, values: Values) -> bool | None:
        """As `Boxes.partial`."""
        try:
            valid_rows, rows, valid_columns, columns = (rule(values) for rule in self.rules)
        except Unknown:
            return None
        return bool(valid_rows < rows or valid_columns < columns)


class Boxes:
    """Remembers what it found: equal accesses are one object."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel, self.options = kernel, kernel.options
        self.events: dict[tuple[int, object], list[Event]] = {}  # of calls that nothing changes
        self.calls: dict[Core, dict[int, Any]] = defaultdict(dict)  # what the tracer knows of them
        self.stretches = Stretches()
        self.closed: dict[
            tuple[Core, int, int, Given | None], Program
        ] = {}  # of cores that nothing unknown decides
        self.overlaps: dict[int, bool] = {}  # of boxes, by their numbers
        self.watched = watched(kernel)
        self._parts: dict[int, _Sizes] = {}
        self._common = Common(shared_tiles(kernel) if kernel.addresses else {})
        self._kept: dict[int, Program] = {}  # without accesses that do not count, by whole ones
        self._homes: dict[int, int] = {}
        self.writes = [
            (stmt, region) for stmt in walk_stmts(kernel.body) for region in effect_of(stmt).writes
        ]
        self._written = {root(region.buffer).uid for _, region in self.writes}

    @property
    def vague(self) -> set[int]:
        """The buffers of which more may be written than is known."""
        return self._common.vague

    def restrict(self, uids: set[int] | None) -> None:
        """From here on nothing but the accesses of these buffers counts; None: all do."""
        if uids == self._common.only:
            return
        self._common.only = uids
        self.events.clear()
        self._kept.clear()

    def kept(self, program: Program) -> Program:
        """Without the accesses that do not count."""
        if self._common.only is None:
            return program
        known = self._kept.get(id(program))
        if known is None:
            known = self._kept[id(program)] = self._without(program, self._common.only)
        return known

    def _without(self, program: Program, only: set[int]) -> Program:
        events: list[Event] = []
        work = Kind.WORK
        numbers = [0]  # of the events that are kept, how many stand before each
        for e in program.events:
            if e.kind is work:
                for access in e.accesses:
                    if access.uid in only:
                        events.append(e)
                        break
            else:
                events.append(e)
            numbers.append(len(events))
        repeats = [(numbers[a], numbers[b], factor) for a, b, factor in program.repeats]
        return replace(program, events=events, repeats=repeats)

    def place(self, stmt: Stmt) -> int:
        """A number for the span of a statement."""
        span = stmt.span
        home = self._homes.get(id(span.home))
        if home is None:
            home = self._homes[id(span.home)] = self._common.number(span.home)
        return self._common.number((home, span.node, span.part))

    def plan(
        self, op: Stmt, reads: Iterable[Region], writes: Iterable[Region], scalar: bool
    ) -> Plan:
        """For the accesses of a step. `scalar`: those of the scalar unit."""
        every = [(r, False) for r in reads] + [(r, True) for r in writes]
        added = isinstance(op, TileOp) and op.op == "tile.atomic_add"
        found = [self._side(region, write, scalar, added) for region, write in every]
        return Plan.of(self._common, tuple(side for side in found if side is not None))

    def _side(self, region: Region, write: bool, scalar: bool, added: bool) -> _Side | None:
        buffer = root(region.buffer)
        place = self._kernel.placements.get(buffer.uid)
        if place is None or place.memory is Memory.REGISTER:
            return None
        gm = place.memory is Memory.GM
        if gm and buffer.uid not in self._written:
            return None
        if scalar and place.memory is not Memory.UB:
            return None  # tensors are read through a cache; the cube's memories have no scalar path
        if region.buffer.alias_of is not None:
            whole = _whole_view(region)
            return None if whole is None else _Side(buffer, buffer.uid, write, gm, added, whole)
        if not len(region.starts) == buffer.rank == len(region.extents):
            return None
        limits = buffer.shape if gm else (None,) * buffer.rank
        parts = tuple(zip(region.starts, region.extents, limits, strict=True))
        numbers = [number for part in parts for number in part if number is not None]
        if any(isinstance(number, Expr) for number in numbers):
            rules: _Rules = tuple(
                (_rule(start), _rule(extent), None if limit is None else _rule(limit))
                for start, extent, limit in parts
            )
            return _Side(buffer, buffer.uid, write, gm, added, None, rules, tuple(numbers))
        box, _ = _box(parts, iter(numbers))
        return None if box is None else _Side(buffer, buffer.uid, write, gm, added, box)

    def partial(self, op: TileOp, values: Values) -> bool | None:
        """True where a copy moves less than the extents of its side in GM; None where only the
        device knows."""
        sizes = self._parts.get(id(op))
        if sizes is None:
            sizes = self._parts[id(op)] = self._sizes(op)
        if not sizes.rules:
            return sizes.missing
        key = sizes.key(values)
        if key not in sizes.kept:
            sizes.kept[key] = sizes.partial(values)
        return sizes.kept[key]

    def ragged(self, op: TileOp, values: Values) -> bool:
        """True where only the device knows how many rows or columns a copy asks for."""
        sizes = self._parts.get(id(op))
        rules = sizes.rules[1::2] if sizes is not None else ()
        return any(_number(rule, values) is None for rule in rules)

    def _sizes(self, op: TileOp) -> _Sizes:
        """Rows and columns that a copy moves and those of its tile."""
        region = next((a for a in op.args[:2] if isinstance(a, Region) and self._in_gm(a)), None)
        if region is None:
            return _Sizes((), False)
        if len(region.starts) != region.buffer.rank:
            return _Sizes((), None)
        moved = transfer(region)
        return _Sizes.of(moved.valid_rows, moved.rows, moved.valid_columns, moved.columns)

    def reachable(self, stmt: Stmt, core: Core) -> bool:
        """False where a statement stands in code of a core that cannot reach its operands."""
        if core is Core.ANY or not isinstance(stmt, TileOp):
            return True
        places = (self._kernel.placements.get(root(r.buffer).uid) for r in regions_of(stmt))
        homes = {HOMES.get(place.memory, core) for place in places if place is not None}
        return homes <= {core}

    def _in_gm(self, region: Region) -> bool:
        place = self._kernel.placements.get(root(region.buffer).uid)
        return place is not None and place.memory is Memory.GM


def _rule(value: Any) -> _Rule:
    return value if type(value) is int else rule_of(value)


def may_be_ragged(op: TileOp) -> bool:
    """True for a copy of whose length not all is a number: what may be ragged, in some iteration."""
    numbers = (number for region in regions_of(op) for number in region.extents)
    return op.op == "copy" and not all(isinstance(number, int) for number in numbers)


def _number(rule: Any, values: Values) -> int | None:
    try:
        found = rule(values)
    except Unknown:
        return None
    return found if isinstance(found, int) else None


def _box(parts: Iterable[tuple[Any, Any, Any]], numbers: Iterator[Any]) -> tuple[Box | None, bool]:
    """The box of an operand, from a number for each part that is not None, and whether it is all of it:
    of an extent that is not known the first index is touched, if anything is. None where that is not
    known."""
    box: list[tuple[int, int]] = []
    known = exact = True
    for _, _, limited in parts:
        first, count = next(numbers), next(numbers)
        limit = next(numbers) if limited is not None else _NO_LIMIT
        exact = exact and count is not None
        if first is None or limit is None or first < 0:
            known = False
            continue
        end = min(first + (1 if count is None else count), limit)
        known = known and end > first
        box.append((first, end))
    return (tuple(box) if known else None), known and exact


def _whole_view(region: Region) -> Box | None:
    """A view of all bytes of its buffer is the buffer."""
    base = root(region.buffer)
    bits = _bits(region.buffer.shape, region.buffer.dtype.bits)
    whole = elements(region.extents) == elements(region.buffer.shape)
    if not whole or bits is None or bits != _bits(base.shape, base.dtype.bits):
        return None
    return tuple((0, int(extent)) for extent in base.shape)


def _bits(shape: tuple[Any, ...], bits: int) -> int | None:
    count = elements(shape)
    return None if count is None else count * bits
