"""Which blocks and vector cores are executed: the first ones, and where the code asks which it is, one
for each way that it takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tl_ascend.checks.sync.branches import Given
from tl_ascend.checks.sync.values import POLICIES, Rule, Unknown, Values, first_values, sure_of
from tl_ascend.ir.expr import Expr, free_vars, loads, walk
from tl_ascend.ir.nodes import (
    Block,
    CoreScope,
    For,
    If,
    Kernel,
    Let,
    Stmt,
    Store,
    TileOp,
    blocks_of,
    exprs_of,
)
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Core

FIRST_BLOCKS = 8  # that are looked at, besides those that numbers in the code name
MOST_PLACES = 6
MANY = 2  # turns of a loop from which on more are not another way
_FLAGS = frozenset({"set_flag", "wait_flag", "set_cross_flag", "wait_cross_flag"})
_Way = tuple[tuple[int, Any], ...]
_Name = Expr | int  # of a scalar its number
_Found = list[tuple[int, Any]]


@dataclass(frozen=True, slots=True)
class Place:
    """A block, and one of its vector cores where these are looked at one by one. `new`: it does what
    none before it does; else it puts that together in another way. `both`: its vector cores may
    differ; `given`: something that only the device knows has this value."""

    block: int = 0
    vector: int = 0
    new: bool = True
    both: bool = False
    given: Given | None = None

    @property
    def first(self) -> bool:
        """The first vector core of the first block."""
        return not (self.block or self.vector or self.given)

    @property
    def notes(self) -> tuple[str, ...]:
        """Says that something happens here, not in the first place."""
        if self.given is not None:
            return (f"This happens {self.given.way}.",)
        if not self.block:
            return (f"This happens on vector core {self.vector}.",) if self.vector else ()
        core = f" on vector core {self.vector}" if self.vector else ""
        return (f"This happens in block {self.block}{core}.",)


@dataclass(frozen=True, slots=True)
class _Node:
    """A statement that asks for the block or the vector core, or one around such statements. `vector`:
    for the vector core, in it or below it; `name`: what it gives a value; `rules`: what it asks, as
    functions."""

    stmt: Stmt
    asks: tuple[Expr, ...]
    inner: tuple[tuple[_Node, ...], ...] = ()
    vector: bool = False
    name: _Name | None = None
    rules: tuple[Rule, ...] = ()


@dataclass(slots=True)
class Asking:
    """The statements whose way the block or the vector core decides. `blocks`, `vectors`: which of the
    two they ask for; `_numbers`: in what they ask, and so those at which blocks may differ; `_doubt`:
    the last way that was followed may be another one on the other vector core; `_wanted`: the names that
    answers go by."""

    kernel: Kernel
    blocks: bool = False
    vectors: bool = False
    _nodes: tuple[_Node, ...] = ()
    _numbers: set[int] = field(default_factory=set)
    _names: dict[_Name, tuple[bool, bool]] = field(default_factory=dict)
    _doubt: bool = False
    _cells: bool = False
    _wanted: set[_Name] = field(default_factory=set)
    _made_of: dict[_Name, set[_Name]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        launch = self.kernel.launch
        assert launch is not None
        self._names = {launch.block: (True, False)}
        if launch.threads != 1:
            self._names[launch.subblock] = False, True
        nodes = tuple(self._asking(self.kernel.body))
        rest = list(self._wanted)
        while rest:
            new = self._made_of.get(rest.pop(), set()) - self._wanted
            self._wanted |= new
            rest += new
        self._nodes = self._needed(nodes)

    # --- what is asked ---------------------------------------------------------------------------

    def _asking(self, block: Block) -> Iterator[_Node]:
        for stmt in block:
            if isinstance(stmt, TileOp):
                asks = self._asked(exprs_of(stmt)) if stmt.op in _FLAGS else ()
                if asks:
                    yield _Node(stmt, asks, (), self._of_vector(asks))
            elif isinstance(stmt, Let):
                if self._named(stmt.var, stmt.value):
                    yield _Node(stmt, (), name=stmt.var)
            elif isinstance(stmt, Store):
                name = root(stmt.buffer).uid
                if not stmt.indices and self._named(name, stmt.value):
                    self._cells = True
                    yield _Node(stmt, (), name=name)
            elif blocks := blocks_of(stmt):
                asks = self._asked(exprs_of(stmt))
                inner = tuple(tuple(self._asking(one)) for one in blocks)
                if asks or any(inner):
                    self._wanted.update(name for e in exprs_of(stmt) for name in self._in(e))
                    vector = any(node.vector for nodes in inner for node in nodes)
                    yield _Node(stmt, asks, inner, vector or self._of_vector(asks))

    def _named(self, name: _Name, value: Any) -> bool:
        """Take down what a name stands for; True where that depends on the block or vector core."""
        asked = self._of(value)
        if any(asked):
            self._names[name] = asked
            self._made_of.setdefault(name, set()).update(self._in(value))
        return any(asked)

    def _needed(self, nodes: Iterable[_Node]) -> tuple[_Node, ...]:
        """Without names that nothing asks for."""
        found = []
        for node in nodes:
            inner = tuple(self._needed(one) for one in node.inner)
            if node.name in self._wanted or node.asks or any(inner):
                found.append(replace(node, inner=inner, rules=tuple(map(sure_of, node.asks))))
        return tuple(found)

    def _asked(self, values: Iterable[Expr]) -> tuple[Expr, ...]:
        found = []
        for value in values:
            block, vector = self._of(value)
            if block or vector:
                found.append(value)
                self._wanted.update(self._in(value))
                self.blocks, self.vectors = self.blocks or block, self.vectors or vector
                self._numbers.update(n for e in walk(value) for n in e.fields if type(n) is int)
        return tuple(found)

    def _of_vector(self, values: Iterable[Expr]) -> bool:
        return any(self._of(value)[1] for value in values)

    def _of(self, value: Any) -> tuple[bool, bool]:
        """Whether a value depends on the block, and on the vector core."""
        block = vector = False
        for name in self._in(value):
            if name in self._names:
                asked = self._names[name]
                block, vector = block or asked[0], vector or asked[1]
        return block, vector

    def _in(self, value: Any) -> list[_Name]:
        names: list[_Name] = list(free_vars(value))
        if self._cells:
            names += [root(load.buffer).uid for load in loads(value)]
        return names

    # --- who does what ---------------------------------------------------------------------------

    def together(self) -> list[Place]:
        """The blocks in which cores take different ways, those that show most first."""
        return _different(dict(map(self._of_block, self._candidates())))

    def _of_block(self, block: int) -> tuple[Place, _Way]:
        self._doubt = False
        cube = self._way(Core.CUBE, Place(block))
        first = self._way(Core.VECTOR, Place(block))
        if not self.vectors:
            return Place(block), cube + first
        second = self._way(Core.VECTOR, Place(block, 1))
        both = self._doubt or first != second
        return Place(block, both=both), cube + first + (second if both else ())

    def alone(self, core: Core) -> list[Place]:
        """The places in which one core takes different ways."""
        vectors = range(2 if self.vectors and core is not Core.CUBE else 1)
        every = (Place(block, vector) for block in self._candidates() for vector in vectors)
        return _different({place: self._way(core, place) for place in every})

    def _candidates(self) -> Sequence[int]:
        """The first blocks, those next to numbers in the code, the last one."""
        if not self.blocks or self.kernel.launch is None:
            return (0,)
        found = {*range(FIRST_BLOCKS), *(n + d for n in self._numbers for d in (-1, 0, 1))}
        try:
            count = sure_of(self.kernel.launch.blocks)(self._values(Place()))
        except Unknown:
            return sorted(n for n in found if n >= 0)
        return sorted(n for n in {*found, count - 1} if n == 0 or 0 < n < count)

    def _values(self, place: Place) -> Values:
        return first_values(self.kernel, POLICIES[0], {}, place.vector, place.block)

    def _way(self, core: Core, place: Place) -> _Way:
        found: _Found = []
        self._follow(self._nodes, core, self._values(place), found)
        return tuple(found)

    def _follow(self, nodes: Iterable[_Node], core: Core, values: Values, found: _Found) -> None:
        for node in nodes:
            stmt = node.stmt
            if stmt.__class__ is Let:
                values.env[stmt.var] = _known(stmt.value, values)
            elif stmt.__class__ is Store:
                values.store(stmt)
            elif stmt.__class__ is For:
                self._turns(node, stmt, core, values, found)
            elif stmt.__class__ is CoreScope:
                if core in (stmt.core, Core.ANY):
                    self._follow(node.inner[0], core, values, found)
            else:
                self._choice(node, core, values, found)

    def _choice(self, node: _Node, core: Core, values: Values, found: _Found) -> None:
        stmt, way = node.stmt, None
        for rule in node.rules:
            try:
                way = rule(values)
            except Unknown:
                way = None
            found.append((id(stmt), way))
            self._doubt = self._doubt or (way is None and node.vector)
        if isinstance(stmt, If) and not node.asks:
            way = _known(stmt.condition, values)
        for at, inner in enumerate(node.inner):
            if inner and (way is None or len(node.inner) == 1 or at == (not way)):
                self._follow(inner, core, values, found)

    def _turns(self, node: _Node, loop: For, core: Core, values: Values, found: _Found) -> None:
        """The first turns of a loop, and the last."""
        start, extent = _known(loop.start, values), _known(loop.extent, values)
        if extent is not None and node.asks:
            found.append((id(loop), min(extent, MANY)))
        every = loop.var in self._wanted  # else one turn is like the other
        turns: list[Any] = [None]
        if start is not None and extent is not None:
            shown = (0, 1, extent - 1) if every else (0,)
            turns = sorted({start + at for at in shown if at < extent})
        unseen = every and (extent is None or extent > len(turns))
        self._doubt = self._doubt or (node.vector and unseen)
        for at in turns if node.inner[0] and (extent is None or extent > 0) else ():
            values.env[loop.var] = at
            self._follow(node.inner[0], core, values, found)


def _known(value: Any, values: Values) -> Any:
    """None where only the device knows."""
    if value.__class__ is int:
        return value
    try:
        return sure_of(value)(values) if isinstance(value, Expr) else value
    except Unknown:
        return None


def _different(ways: dict[Place, _Way]) -> list[Place]:
    """The first place, then those that are new, most first, then those that are not."""
    by_way: dict[_Way, Place] = {}
    for place, way in ways.items():
        by_way.setdefault(way, place)
    first, *rest = by_way
    chosen, seen = [by_way[first]], set(first)
    while rest and len(chosen) < MOST_PLACES:
        best = max(rest, key=lambda way: len({*way} - seen))
        rest.remove(best)
        chosen.append(replace(by_way[best], new=not seen >= {*best}))
        seen.update(best)
    return chosen
