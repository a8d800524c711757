"""How often a place in the code of a core is passed, as something that can be compared.

Equal numbers of two cores must be certain. A condition or a bound counts with all that decides on
what it reads: the assignments to its variables and the way to them, with its own place among them.
What reads an element that the kernel itself writes is equal to nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Load, Var, walk
from tl_ascend.ir.nodes import (
    Block,
    Break,
    CoreScope,
    For,
    If,
    Kernel,
    Let,
    Stmt,
    Store,
    While,
    blocks_of,
    exprs_of,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.passes.exchange import Site
from tl_ascend.target.hardware import Core, Memory


@dataclass(slots=True)
class Repetitions:
    """Counts places of one kernel. `written`: what is written otherwise than as a variable."""

    kernel: Kernel
    written: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        for stmt in walk_stmts(self.kernel.body):
            for region in effect_of(stmt).writes:
                if self.kernel.memory(region.buffer) is not Memory.REGISTER:
                    self.written.add(root(region.buffer).uid)

    def of(self, site: Site, low: int, high: int) -> Any:
        """How often the code of a site at depth `high` runs for each time that of `low` does: a
        number, and what only the device knows."""
        number, rest = 1, Counter[Any]()
        for depth in range(low, high):
            around = site.trail[depth]
            stmt = around.stmt
            if isinstance(stmt, For) and isinstance(stmt.extent, int) and not _leaves(stmt.body):
                number *= stmt.extent
                continue
            history = self._history(site, depth)
            if isinstance(stmt, For):
                rest["loop", stmt.extent, history] += 1
            elif isinstance(stmt, If):
                rest["if", stmt.condition, around.branch, history] += 1
            elif isinstance(stmt, While):
                rest["while", stmt.condition, history] += 1
        return number, frozenset(rest.items())

    def once(self, site: Site, high: int) -> bool:
        """True where the code at a depth runs once in a kernel."""
        low = next(at for at, step in enumerate(site.trail) if not _is_control(step.stmt)) + 1
        return bool(self.of(site, low, high) == (1, frozenset()))

    def _history(self, site: Site, depth: int) -> Any:
        """All that decides on what a statement around a site reads, in the code of its core."""
        here = site.trail[depth].stmt
        names, size = _names(here), -1
        while len(names) != size:
            size = len(names)
            for stmt in walk_stmts(self.kernel.body):
                if _assigns(stmt, names) or _is_control(stmt) and _decides(stmt, here, names):
                    names |= _names(stmt)
        if names & self.written:
            return object()
        return tuple(_outline(self.kernel.body, site.core, here, names)) if names else ()


def _leaves(body: Block) -> bool:
    return any(isinstance(inner, Break) for inner in walk_stmts(body))


def _is_control(stmt: Stmt) -> bool:
    return isinstance(stmt, (For, If, While))


def _names(stmt: Stmt) -> set[int]:
    """The variables and buffers that a statement reads itself, and for its way out."""
    found = {uid for value in exprs_of(stmt) for uid in _reads(value)}
    if isinstance(stmt, (For, While)) and _leaves(stmt.body):
        ways = [s for s in walk_stmts(stmt.body) if isinstance(s, If)]
        found |= {uid for way in ways for value in exprs_of(way) for uid in _reads(value)}
    return found


def _reads(value: Expr) -> Iterator[int]:
    for node in walk(value):
        if isinstance(node, Load):
            yield root(node.buffer).uid
        elif isinstance(node, Var) and node.role == "let":
            yield node.uid


def _assigns(stmt: Stmt, names: set[int]) -> bool:
    if isinstance(stmt, Store):
        return root(stmt.buffer).uid in names
    return isinstance(stmt, Let) and stmt.var.uid in names


def _decides(stmt: Stmt, here: Stmt, names: set[int]) -> bool:
    """True where a statement contains the place, or an assignment."""
    inner = [s for block in blocks_of(stmt) for s in walk_stmts(block)]
    return any(s is here or _assigns(s, names) for s in inner)


def _outline(block: Block, core: Core, here: Stmt, names: set[int]) -> Iterator[Any]:
    """The assignments to some variables in the code of a core, what steers them, and a place among
    them."""
    for stmt in block:
        if stmt is here:
            yield "here"
        if isinstance(stmt, CoreScope):
            yield from _outline(stmt.body, core, here, names) if stmt.core is core else ()
        elif _assigns(stmt, names):
            yield _assignment(stmt)
        elif isinstance(stmt, Break):
            yield "break"
        elif _is_control(stmt) and (_leaves((stmt,)) or _decides(stmt, here, names)):
            inner = (tuple(_outline(nested, core, here, names)) for nested in blocks_of(stmt))
            bounds = (stmt.start, stmt.extent) if isinstance(stmt, For) else tuple(exprs_of(stmt))
            yield type(stmt).__name__, bounds, tuple(inner)


def _assignment(stmt: Stmt) -> Any:
    if isinstance(stmt, Store):
        return root(stmt.buffer).uid, stmt.indices, stmt.value
    assert isinstance(stmt, Let)
    return stmt.var.uid, stmt.value
