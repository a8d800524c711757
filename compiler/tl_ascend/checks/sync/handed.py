"""Loops that hand scalars (`T.alloc_var`) on from one iteration to the next.

What such an iteration decides is known only behind those before it: all are gone through in order, but
for what they do to tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.checks.sync.values import Values
from tl_ascend.ir.expr import Expr, loads
from tl_ascend.ir.nodes import (
    Block,
    Break,
    CoreScope,
    For,
    If,
    Let,
    Stmt,
    Store,
    While,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Core

MOST = 3000  # statements that are gone through
State = dict[int, Any]


class _Leave(Exception):
    """A break."""


class _Enough(Exception):
    """There are too many iterations."""


def changed_in(block: Block) -> frozenset[int]:
    """The scalars that a block changes."""
    return frozenset(
        root(stmt.buffer).uid
        for stmt in walk_stmts(block)
        if isinstance(stmt, Store) and not stmt.indices
    )


def takes(value: Any, cells: frozenset[int]) -> bool:
    """True where a value depends on one of these scalars."""
    return isinstance(value, Expr) and any(root(x.buffer).uid in cells for x in loads(value))


@dataclass(slots=True)
class Iterations:
    """What iterations decide, in order, and which values the scalars have when each begins. `whole`: all
    were gone through, or left with a break."""

    decided: list[tuple[Any, ...]] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    whole: bool = True


def iterations(
    loop: For,
    start: int,
    extent: int,
    values: Values,
    core: Core,
    deciding: Callable[[Stmt], Iterable[Any]],
) -> Iterations:
    """The iterations of a loop, as a core takes them. The values are left as they were."""
    found, kept = Iterations(), (values.env, values.cells, values.names, values.open)
    values.env, values.cells = values.env.copy(), values.cells.copy()
    values.names = values.names.copy()
    walk = _Walk(values, core, deciding, changed_in(loop.body))
    try:
        for at in range(start, start + extent):
            found.states.append({uid: values.cells.get(uid) for uid in walk.cells})
            values.env[loop.var] = at
            walk.decided = []
            try:
                walk.block(loop.body)
            finally:
                found.decided.append(tuple(walk.decided))
    except _Leave:
        pass
    except _Enough:
        found.whole = False
    values.env, values.cells, values.names, values.open = kept
    return found


@dataclass(slots=True)
class _Walk:
    """One after the other, the values that a loop decides. `cells`: the scalars that it changes."""

    values: Values
    core: Core
    deciding: Callable[[Stmt], Iterable[Any]]
    cells: frozenset[int]
    decided: list[Any] = field(default_factory=list)
    left: int = MOST
    still: dict[int, bool] = field(default_factory=dict)

    def block(self, block: Block) -> None:
        for stmt in block:
            self.left -= 1
            if self.left < 0:
                raise _Enough
            for value in self.deciding(stmt):
                known, certain = self.values.way(value)
                self.decided.append(known if certain else None)
            self._control(stmt)

    def _control(self, stmt: Stmt) -> None:
        if isinstance(stmt, Let):
            self.values.bind(stmt)
        elif isinstance(stmt, Store):
            self.values.store(stmt)
        elif isinstance(stmt, If):
            self.block(stmt.then if self.values.way(stmt.condition)[0] else stmt.other)
        elif isinstance(stmt, (For, While)):
            self._turns(stmt)
        elif isinstance(stmt, CoreScope):
            self.block(stmt.body if self.core in (stmt.core, Core.ANY) else ())
        elif isinstance(stmt, Break):
            raise _Leave

    def _turns(self, loop: For | While) -> None:
        """A loop that changes no scalar decides in each turn what it does in the first."""
        start, count = 0, self.values.policy.turns
        if isinstance(loop, For):
            start, count = (int(self.values.way(v)[0]) for v in (loop.start, loop.extent))
        if not self._changes(loop):
            count = min(count, 1)
        try:
            for at in range(start, start + count):
                if isinstance(loop, For):
                    self.values.env[loop.var] = at
                self.block(loop.body)
        except _Leave:
            pass

    def _changes(self, loop: For | While) -> bool:
        known = self.still.get(id(loop))
        if known is None:
            known = self.still[id(loop)] = bool(changed_in(loop.body))
        return known
