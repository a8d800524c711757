"""Which iterations of a loop are enough.

What an iteration does with flags and tiles is a handful of values: ids, conditions, places of tiles.
Where these repeat, the iterations between the first round and the last one add nothing that they do
not show, and a run leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tl_ascend.checks.sync.credits import MOST, PERIOD, Credits
from tl_ascend.checks.sync.handed import State, changed_in, iterations, takes
from tl_ascend.checks.sync.values import Rule, Unknown, Values, is_size, sure_of
from tl_ascend.ir.expr import Binary, Expr, Select, free_vars, loads, walk
from tl_ascend.ir.nodes import (
    For,
    If,
    Kernel,
    Let,
    Region,
    Stmt,
    Store,
    TileOp,
    While,
    regions_of,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Core, Memory

SHORT = 2  # loops that are run whole
HEAD, TAIL = 48, 24  # iterations that are looked at
FEW = 8  # the longest loop that hands scalars on and is run whole
WHOLE = 16  # the longest loop that is run whole where nothing repeats
_RINGS = ("%", "&", "^", "//")
_FLAGS = {"set_flag": 2, "wait_flag": 2, "set_cross_flag": 1, "wait_cross_flag": 0}


_Turn = tuple[int, int, int]
_Choice = tuple[list[int] | None, int]
_Handed = tuple[_Choice, dict[int, State]]
# The names and scalars that a loop and those that go with it depend on, and whether on a size.
_Inputs = tuple[tuple[Expr, ...], tuple[int, ...], bool]


class Endless(Exception):
    """No round was found: only the beginning of the loop can be run."""


@dataclass(frozen=True, slots=True)
class _Item:
    """Something whose value an iteration decides; `var`: a name that it is given."""

    value: Any
    rule: Rule
    var: Expr | None = None


@dataclass(frozen=True, slots=True)
class _Items:
    """What an iteration decides, and the names from outside and scalars that it depends on."""

    items: list[_Item]
    outer: tuple[Expr, ...]
    cells: tuple[int, ...]

    @classmethod
    def of(cls, items: list[_Item], var: Expr) -> _Items:
        bound = {var, *(item.var for item in items if item.var is not None)}
        names = dict.fromkeys(v for item in items for v in free_vars(item.value))
        cells = dict.fromkeys(root(x.buffer).uid for item in items for x in loads(item.value))
        return cls(items, tuple(name for name in names if name not in bound), tuple(cells))


class Turns:
    """Remembers what each loop of a kernel depends on. `exact`: nothing is left out."""

    def __init__(self, kernel: Kernel, exact: bool = False) -> None:
        self.exact = exact
        self._kernel = kernel
        self._items: dict[int, _Items] = {}
        self._inputs: dict[int, _Inputs] = {}
        self._decides: dict[int, tuple[Any, ...]] = {}
        self._handing_on: dict[int, bool] = {}
        self._chosen: dict[object, _Handed] = {}
        self._rounds: dict[object, _Choice] = {}
        self._alike: dict[tuple[Any, Any], list[For]] = {}
        for stmt in walk_stmts(kernel.body):
            if isinstance(stmt, For) and _signals(stmt):
                self._alike.setdefault((stmt.start, stmt.extent), []).append(stmt)
        loops = [loop for every in self._alike.values() for loop in every]
        self._signalling = set(map(id, loops))
        self._credits = Credits(kernel, loops)

    def of(self, loop: For, start: int, extent: int, values: Values, core: Core) -> Iterable[_Turn]:
        """The values of the loop's variable to run, each with how many rounds are left out before it,
        and how many iterations a round has. Behind those, scalars are as they would have left them.
        Errors: Endless, after the first iterations."""
        given = extent <= MOST and self._credits.alone and id(loop) in self._credits.alone
        if extent <= SHORT or self.exact or given:
            return [(at, 0, 1) for at in range(start, start + extent)]
        return self._some(loop, start, extent, values, core)

    def _some(
        self, loop: For, start: int, extent: int, values: Values, core: Core
    ) -> Iterator[_Turn]:
        (chosen, period), states = self._choose(loop, start, extent, values, core)
        if chosen is None:
            yield from [(start + at, 0, 1) for at in range(HEAD // 2)]
            raise Endless
        before = -1
        for at in chosen:
            if at - before > 1:
                values.hold(states.get(at, {}))
            yield start + at, (at - before - 1) // period, period
            before = at

    def _choose(self, loop: For, start: int, extent: int, values: Values, core: Core) -> _Handed:
        loops = self._with(loop)
        handed = any(map(self._hands, loops))
        if handed and extent <= FEW:
            return ([*range(extent)], 1), {}
        names, uids, sized = self._inputs.get(id(loop)) or self._inputs_of(loop)
        ahead = (
            self._credits.ahead(values)
            if self._credits.some and id(loop) in self._signalling
            else 0
        )
        env, known = values.env, values.cells
        outer, cells = tuple(map(env.get, names)), tuple(map(known.get, uids))
        key = id(loop), start, extent, outer, cells, values.policy.size if sized else None, ahead
        if key not in self._chosen:
            if handed:
                self._chosen[key] = self._handed(loop, loops, (start, extent), values, core)
            else:
                looked = [*range(min(extent, HEAD)), *range(max(HEAD, extent - TAIL), extent)]
                seen = self._signatures(loops, [start + at for at in looked], values)
                if (extent, seen, ahead) not in self._rounds:
                    self._rounds[extent, seen, ahead] = _chosen(looked, seen, ahead)
                self._chosen[key] = self._rounds[extent, seen, ahead], {}
        return self._chosen[key]

    def _handed(
        self, loop: For, loops: list[For], turns: tuple[int, int], values: Values, core: Core
    ) -> _Handed:
        """As the iterations of a loop hand scalars on. Slots of tiles count, unless they move on and
        on."""
        for deciding in (self._deciding_slots, self._deciding):
            every = {id(one): iterations(one, *turns, values, core, deciding) for one in loops}
            mine = every[id(loop)]
            if not all(one.whole for one in every.values()):
                break
            alike = [one.decided for one in every.values() if len(one.states) == len(mine.states)]
            seen = tuple(zip(*alike, strict=True))
            choice = _chosen([*range(len(seen))], seen)
            if choice[0] is not None:
                return choice, dict(enumerate(mine.states))
        return (None, 1), {}

    def _with(self, loop: For) -> list[For]:
        """The loops that go with a loop, and itself."""
        loops = self._alike.get((loop.start, loop.extent), [])
        return loops if loop in loops else [loop]

    def _inputs_of(self, loop: For) -> _Inputs:
        items = [self._items_of(one) for one in self._with(loop)]
        names = tuple(dict.fromkeys(name for one in items for name in one.outer))
        uids = tuple(dict.fromkeys(uid for one in items for uid in one.cells))
        self._inputs[id(loop)] = names, uids, any(map(is_size, names))
        return self._inputs[id(loop)]

    def _signatures(
        self, loops: list[For], every: list[int], values: Values
    ) -> tuple[tuple[Any, ...], ...]:
        """What iterations decide."""
        bodies = [(loop.var, self._items_of(loop).items) for loop in loops]
        known, opened = values.env, values.open
        named = any(item.var is not None for _, items in bodies for item in items)
        found = []
        values.env = known.copy()
        for at in every:
            if named:
                values.env = known.copy()
            found.append(self._signature(bodies, at, values))
        values.env, values.open = known, opened
        return tuple(found)

    def _signature(
        self, bodies: Sequence[tuple[Expr, list[_Item]]], at: int, values: Values
    ) -> tuple[Any, ...]:
        env = values.env
        found: list[Any] = []
        for var, items in bodies:
            env[var] = at
            for item in items:
                try:
                    value, certain = item.rule(values), True
                except Unknown:
                    value, certain = values.guessed(item.value), False
                if item.var is None:
                    found.append(value if certain else None)
                elif certain:
                    env[item.var] = value
                else:
                    env.pop(item.var, None)
                    values.names[item.var] = value
        return tuple(found)

    def _items_of(self, loop: For) -> _Items:
        known = self._items.get(id(loop))
        if known is None:
            items = self._every(loop) if self._hands(loop) else self._collect(loop)
            known = self._items[id(loop)] = _Items.of(list(_once(items)), loop.var)
        return known

    def _hands(self, loop: For) -> bool:
        """True where scalars that an iteration changes decide something, or what they are next."""
        known = self._handing_on.get(id(loop))
        if known is None:
            cells = changed_in(loop.body)
            known = bool(cells) and any(
                takes(value, cells)
                for stmt in walk_stmts(loop.body)
                for value in self._handing(stmt)
            )
            self._handing_on[id(loop)] = known
        return known

    def _every(self, loop: For) -> Iterator[_Item]:
        """All that iterations of a loop that hands scalars on depend on."""
        for stmt in walk_stmts(loop.body):
            var = stmt.var if isinstance(stmt, (Let, For)) else None
            yield from (_Item(value, sure_of(value), var) for value in self._handing(stmt))

    def _handing(self, stmt: Stmt) -> Iterable[Any]:
        if isinstance(stmt, Let) or (isinstance(stmt, Store) and not stmt.indices):
            return (stmt.value,)
        return self._deciding_slots(stmt)

    def _collect(self, loop: For) -> Iterator[_Item]:
        names: set[Expr] = {loop.var}
        for stmt in walk_stmts(loop.body):
            for value in self._deciding(stmt):
                if isinstance(value, Expr) and any(v in names for v in free_vars(value)):
                    yield _Item(value, sure_of(value))
            if isinstance(stmt, Let) and any(v in names for v in free_vars(stmt.value)):
                names.add(stmt.var)
                yield _Item(stmt.value, sure_of(stmt.value), stmt.var)
            elif isinstance(stmt, For):
                names.add(stmt.var)
                yield _Item(stmt.start, sure_of(stmt.start), stmt.var)

    def _deciding_slots(self, stmt: Stmt) -> Iterator[Any]:
        yield from self._deciding(stmt)
        if isinstance(stmt, TileOp):
            for region in regions_of(stmt):
                starts = [start for start in region.starts if _scalars(start)]
                if starts and not self._in_gm(region):
                    yield from starts

    def _deciding(self, stmt: Stmt) -> tuple[Any, ...]:
        """Asked for once for each loop around a statement, and for each of its iterations."""
        known = self._decides.get(id(stmt))
        if known is None:
            known = self._decides[id(stmt)] = tuple(self._decided_by(stmt))
        return known

    def _decided_by(self, stmt: Stmt) -> Iterator[Any]:
        if isinstance(stmt, (If, While)):
            yield stmt.condition
        elif isinstance(stmt, For):
            yield from (stmt.start, stmt.extent)
        elif isinstance(stmt, TileOp):
            if stmt.op in _FLAGS:
                yield stmt.args[_FLAGS[stmt.op]]
            for region in regions_of(stmt):
                yield from self._of_region(region)

    def _of_region(self, region: Region) -> Iterator[Any]:
        """What says which slot of a ring a tile is. A tile that moves on and on shows nothing new."""
        moved = [start for start in region.starts if isinstance(start, Expr)]
        gm = bool(moved) and self._in_gm(region)
        for start in moved:
            for node in walk(start):
                if isinstance(node, Select) and not gm:
                    yield node.condition
                elif isinstance(node, Binary) and (
                    node.op == "%" or (node.op in _RINGS and not gm)
                ):
                    if not gm or (isinstance(node.b, int) and node.b <= self._credits.slots):
                        yield node

    def _in_gm(self, region: Region) -> bool:
        place = self._kernel.placements.get(root(region.buffer).uid)
        return place is None or place.memory is Memory.GM


def _once(items: Iterable[_Item]) -> Iterator[_Item]:
    """Without what was decided before, while all names stand for what they stood for."""
    seen: set[Any] = set()
    bound: set[Expr] = set()
    for item in items:
        if item.var is not None:
            if item.var in bound:
                seen.clear()
            bound.add(item.var)
        elif item.value in seen:
            continue
        else:
            seen.add(item.value)
        yield item


def _scalars(value: Any) -> bool:
    return isinstance(value, Expr) and any(not load.buffer.rank for load in loads(value))


def _signals(loop: For) -> bool:
    return any(isinstance(s, TileOp) and "cross_flag" in s.op for s in walk_stmts(loop.body))


def _chosen(looked: list[int], seen: tuple[tuple[Any, ...], ...], ahead: int = 0) -> _Choice:
    """The fewest iterations that show the first round and the last one of what repeats, all before and
    all behind it, and how many make a round; more, by whole rounds, of a core that runs so many `ahead`.
    None where nothing repeats in a long loop."""
    best: _Choice = (None, 1)
    for period in range(1, max(PERIOD, ahead) + 1):
        found = _skipped(looked, seen, period, ahead)
        if found is not None and (best[0] is None or len(found) < len(best[0])):
            best = found, period
    whole = len(looked) == looked[-1] + 1
    if best[0] is None and whole and len(looked) <= WHOLE + ahead:
        return looked, 1
    return _chosen(looked, seen) if best[0] is None and ahead else best


def _skipped(
    looked: list[int], seen: tuple[tuple[Any, ...], ...], period: int, ahead: int
) -> list[int] | None:
    partners = [_partner(looked, at, period) for at in range(len(looked))]
    same = [p is not None and seen[at] == seen[p] for at, p in enumerate(partners)]
    begin, end = _longest(same)
    last = partners[end - 1] if end > begin else None
    if last is None:
        return None
    # The last one before the gap; with the round behind it there are more than the core is ahead.
    first = begin + period * max(1, (ahead + 1) // period) - 1
    if last <= first or looked[first] != first:
        return None
    jump = last - period + 1  # from there it is a whole round, too
    while jump > first + 1 and (looked[jump] - looked[first] - 1) % period:
        jump -= 1
    jump = max(jump, first + 1)
    if looked[-1] - looked[jump] != len(looked) - 1 - jump:
        return None
    return [*looked[: first + 1], *looked[jump:]]


def _partner(looked: list[int], at: int, period: int) -> int | None:
    """The next iteration that is a whole number of periods away."""
    near = at + period
    if near < len(looked) and looked[near] - looked[at] == period:
        return near
    for later in range(at + 1, min(at + 2 * period + 1, len(looked))):
        if (looked[later] - looked[at]) % period == 0:
            return later
    return None


def _longest(same: list[bool]) -> tuple[int, int]:
    """The longest stretch of True."""
    best, begin = (0, 0), 0
    for at, value in enumerate([*same, False]):
        if not value:
            if at - begin > best[1] - best[0]:
                best = begin, at
            begin = at + 1
    return best
