"""Branches that data or a parameter of the kernel decides: both ways of each are taken.

Who writes a branch expects both. Which values lead to a way is certain only where all of them decide
alike wherever else the kernel asks for the same thing: other ways are left to what is guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tl_ascend.checks.sync.events import Program
from tl_ascend.checks.sync.values import POLICIES, first_values
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Load, Var, walk
from tl_ascend.ir.nodes import (
    Block,
    For,
    If,
    Kernel,
    Let,
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
from tl_ascend.ir.text import show

MOST = 6
_LARGE = 1 << 30  # more than any size
_SIZES = (POLICIES[0].size, POLICIES[1].size)
_Path = tuple[tuple[int, bool], ...]
_Way = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """What an execution takes for something that only the device knows; `way`: what that decides, in
    words; `ways`: of the branches, by their identity."""

    what: Expr
    value: Any
    way: str
    ways: tuple[tuple[int, bool], ...] = field(default=(), compare=False)

    def new_to(self, runs: Iterable[list[Program]]) -> bool:
        """True where executions that guess come to these branches, and not all go the same ways."""
        ways = [[way for program in run for way in self._went(program)] for run in runs]
        return any(ways) and not all(run and all(run) for run in ways)

    def _went(self, program: Program) -> Iterator[bool]:
        """For each of the branches whether it went the same way."""
        for branch, way in self.ways:
            if branch in program.taken:
                yield program.taken[branch] == {way}


@dataclass(slots=True)
class _Asked:
    """The branches that one thing alone decides, and where else it is asked for, with the ways into
    both."""

    branches: list[tuple[If, _Path]] = field(default_factory=list)
    uses: list[_Path] = field(default_factory=list)


def ways_of(kernel: Kernel) -> list[Given]:
    """The ways of branches, each once, that one thing from outside decides for certain."""
    found = _Branches(kernel)
    found.look(kernel.body, ())
    every = [way for what, asked in found.asked.items() for way in _ways(kernel, what, asked)]
    return every[:MOST]


@dataclass(slots=True)
class _Branches:
    """What decides the branches of a kernel. `made_of`: what names, and scalars by number, depend on;
    None where it is more than what stays the same."""

    kernel: Kernel
    asked: dict[Expr, _Asked] = field(default_factory=lambda: defaultdict(_Asked))
    made_of: dict[Any, frozenset[Expr] | None] = field(default_factory=dict)
    writes: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    looped: bool = False

    def __post_init__(self) -> None:
        for stmt in walk_stmts(self.kernel.body):
            uids = {root(region.buffer).uid for region in effect_of(stmt).writes}
            if isinstance(stmt, Store):
                uids.add(root(stmt.buffer).uid)
            for uid in uids:
                self.writes[uid] += 1

    def look(self, block: Block, path: _Path) -> None:
        for stmt in block:
            if isinstance(stmt, Let):
                self.made_of[stmt.var] = self._of(stmt.value)
            elif isinstance(stmt, Store) and not stmt.indices:
                uid = root(stmt.buffer).uid
                once = self.writes[uid] == 1 and not self.looped
                self.made_of[uid] = self._of(stmt.value) if once else None
            elif isinstance(stmt, If):
                self._branch(stmt, path)
            else:
                self._use(_deciding(stmt), path)
                around, self.looped = self.looped, self.looped or isinstance(stmt, (For, While))
                for inner in blocks_of(stmt):
                    self.look(inner, path)
                self.looped = around

    def _branch(self, stmt: If, path: _Path) -> None:
        on = self._of(stmt.condition)
        if on is not None and len(on) == 1:
            self.asked[next(iter(on))].branches.append((stmt, path))
        else:
            self._use((stmt.condition,), path)
        self.look(stmt.then, (*path, (id(stmt), True)))
        self.look(stmt.other, (*path, (id(stmt), False)))

    def _use(self, values: Iterable[Any], path: _Path) -> None:
        for value in values:
            for what in self._within(value):
                self.asked[what].uses.append(path)

    def _within(self, value: Any) -> Iterator[Expr]:
        """What a value may depend on, with what changes."""
        for node in walk(value) if isinstance(value, Expr) else ():
            if isinstance(node, (Var, Load)):
                yield from self._of(node) or ()

    def _of(self, value: Any) -> frozenset[Expr] | None:
        """What a value depends on that comes from outside; None where more decides."""
        if not isinstance(value, Expr):
            return frozenset()
        if isinstance(value, Var):
            return self._of_name(value)
        if isinstance(value, Load):
            return self._of_load(value)
        return self._of_all(value.fields)

    def _of_all(self, values: Iterable[Any]) -> frozenset[Expr] | None:
        found: set[Expr] = set()
        for value in values:
            inner = self._of_all(value) if isinstance(value, tuple) else self._of(value)
            if inner is None:
                return None
            found |= inner
        return frozenset(found)

    def _of_name(self, name: Var) -> frozenset[Expr] | None:
        if name.role == "scalar":
            return frozenset({name})
        if name.role in ("let", "loop", "variable"):
            return self.made_of.get(name)
        return frozenset()

    def _of_load(self, load: Load) -> frozenset[Expr] | None:
        uid = root(load.buffer).uid
        if not load.buffer.rank:
            return self.made_of.get(uid)
        if self.writes[uid] or self._of_all(load.indices) != frozenset():
            return None
        return frozenset({load})


def _deciding(stmt: Stmt) -> tuple[Any, ...]:
    """What says how often, where and with which flags something is done."""
    if isinstance(stmt, Store):
        return stmt.indices
    if not isinstance(stmt, TileOp) or "flag" in stmt.op:
        return exprs_of(stmt)
    return tuple(n for region in regions_of(stmt) for n in (*region.starts, *region.extents))


def _ways(kernel: Kernel, what: Expr, asked: _Asked) -> Iterator[Given]:
    """The ways that all values which lead to them have in common."""
    if not asked.branches:
        return
    values: dict[_Way, Any] = {}
    mine = {id(stmt) for stmt, _ in asked.branches}
    steps = [
        stmt
        for stmt in walk_stmts(kernel.body)
        if isinstance(stmt, (Let, Store)) or id(stmt) in mine
    ]
    for value in _tried(what, asked):
        found = {_decided(kernel, steps, what, value, asked, size) for size in _SIZES}
        way = found.pop()
        if not found and way is not None:
            values.setdefault(way, value)
    told: set[_Way] = set()
    for at, (stmt, path) in enumerate(asked.branches):
        for taken in (True, False):
            fit = [way for way in values if way[at] is taken and _along(path, way, asked)]
            if len(fit) == 1 and not any(_along(use, fit[0], asked) for use in asked.uses):
                if fit[0] not in told:
                    told.add(fit[0])
                    ways = tuple(
                        (id(one), way) for (one, _), way in zip(asked.branches, fit[0], strict=True)
                    )
                    yield Given(what, values[fit[0]], _words(stmt, taken), ways)


def _along(path: _Path, way: _Way, asked: _Asked) -> bool:
    """True where these decisions lead along a path."""
    ways = {id(stmt): taken for (stmt, _), taken in zip(asked.branches, way, strict=True)}
    return all(ways.get(branch, taken) is taken for branch, taken in path)


def _tried(what: Expr, asked: _Asked) -> list[Any]:
    """Values on each side of the numbers that it is compared with."""
    conditions = [stmt.condition for stmt, _ in asked.branches]
    nodes = [node for e in conditions if isinstance(e, Expr) for node in walk(e)]
    numbers = {n for node in nodes for n in node.fields if isinstance(n, (int, float))}
    found = {0, 1, _LARGE, -1, -_LARGE, *(n + d for n in numbers for d in (-1, 0, 1))}
    low = 0 if what.dtype.kind in ("uint", "bool") else -_LARGE
    return sorted((n for n in found if n >= low), key=lambda n: (abs(n), -n))


def _decided(
    kernel: Kernel, steps: Iterable[Stmt], what: Expr, value: Any, asked: _Asked, size: int
) -> _Way | None:
    """Which ways the branches go; None where that cannot be known. `steps`: they, and what gives names
    and scalars their values."""
    values = first_values(kernel, replace(POLICIES[0], size=size), {})
    values.give(what, value)
    mine = {id(stmt): at for at, (stmt, _) in enumerate(asked.branches)}
    found = [False] * len(mine)
    for stmt in steps:
        if isinstance(stmt, Let):
            values.bind(stmt)
        elif isinstance(stmt, Store):
            values.store(stmt)
        elif isinstance(stmt, If):
            taken, certain = values.way(stmt.condition)
            if not certain:
                return None
            found[mine[id(stmt)]] = bool(taken)
    return tuple(found)


def _words(stmt: If, taken: bool) -> str:
    return f"where {show(stmt.condition)} {'holds' if taken else 'does not hold'}"
