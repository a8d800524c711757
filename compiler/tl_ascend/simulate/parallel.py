"""T.Parallel on whole arrays: each statement for all elements at once, instead of all statements for
each element. That is the same where no element reads or writes what another one writes; a loop of
which that is not certain runs step by step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tl_ascend.ir.affine import affine
from tl_ascend.ir.expr import Expr, Load, Var, free_vars, walk
from tl_ascend.ir.nodes import Block, For, If, Let, Stmt, Store, exprs_of, walk_stmts, within
from tl_ascend.ir.storage import root
from tl_ascend.simulate.core import Core
from tl_ascend.simulate.errors import UnwrittenMemory
from tl_ascend.simulate.memory import either

_ALLOWED = (Store, If, Let, For)


@dataclass(frozen=True, slots=True)
class Vectorised:
    """A loop that may run on arrays. `axes`: its parallel variables, outer first."""

    loop: For
    axes: tuple[Var, ...]


def vectorised(loop: For) -> Vectorised | None:
    """The loop, where its elements are certainly independent of each other."""
    inner = list(within(loop))
    if not all(isinstance(stmt, _ALLOWED) for stmt in inner):
        return None
    axes = tuple(s.var for s in inner if isinstance(s, For) and s.kind == "parallel")
    uneven = [s for s in inner if isinstance(s, For) and _varies((s.start, s.extent), axes, inner)]
    if uneven or len(set(axes)) != len(axes):
        return None
    stores = [stmt for stmt in inner if isinstance(stmt, Store)]
    if any(store.buffer.scope == "var" for store in stores):
        return None
    return Vectorised(loop, axes) if _independent(stores, inner, axes) else None


def _varies(values: tuple[Any, ...], axes: tuple[Var, ...], inner: list[Stmt]) -> bool:
    """True where a value may differ between elements: it names an axis, or something let inside."""
    lets = {stmt.var for stmt in inner if isinstance(stmt, Let)}
    used = {var for value in values for var in free_vars(value)}
    return bool(used & (set(axes) | lets)) or any(
        isinstance(node, Load) for value in values for node in walk(value)
    )


def _independent(stores: list[Store], inner: list[Stmt], axes: tuple[Var, ...]) -> bool:
    loads = [n for s in inner for value in exprs_of(s) for n in walk(value) if isinstance(n, Load)]
    for store in stores:
        if not _own_element(store.indices, axes):
            return False
        others: list[Any] = [*stores, *loads]
        for other in others:
            # By number: loads are shared between kernels that are equal, buffers are not.
            if root(other.buffer).uid != root(store.buffer).uid:
                continue
            if other.buffer.uid != store.buffer.uid or other.indices != store.indices:
                return False
    return True


def _own_element(indices: tuple[Any, ...], axes: tuple[Var, ...]) -> bool:
    """True where every element of the loop certainly has an index of its own: each axis alone moves
    one of the dimensions."""
    free = set(axes)
    for index in indices:
        moving = [var for var in free_vars(index) if var in axes]
        if len(moving) == 1 and not _reads(index):
            form = affine(index)
            if form is not None and [a for a in form.terms if moving[0] in free_vars(a)] == moving:
                free.discard(moving[0])
    return not free


def _reads(value: Any) -> bool:
    return isinstance(value, Expr) and any(isinstance(node, Load) for node in walk(value))


def run_vectorised(loop: Vectorised, core: Core) -> None:
    """Run the loop on one core."""
    before = core.mask
    try:
        _loop(loop.loop, loop, core)
    finally:
        core.mask = before
        for stmt in walk_stmts((loop.loop,)):
            if isinstance(stmt, (For, Let)):
                core.values.pop(stmt.var.uid, None)
                core.tainted.pop(stmt.var.uid, None)


def _loop(stmt: For, whole: Vectorised, core: Core) -> None:
    start, extent = core.integer(stmt.start, "a bound"), core.integer(stmt.extent, "a bound")
    if stmt.kind == "parallel":
        shape = [1] * len(whole.axes)
        shape[whole.axes.index(stmt.var)] = extent
        core.values[stmt.var.uid] = np.arange(start, start + extent).reshape(shape)
        if extent > 0:
            _block(stmt.body, whole, core)
        return
    for step in range(extent):
        core.values[stmt.var.uid] = start + step
        _block(stmt.body, whole, core)


def _block(block: Block, whole: Vectorised, core: Core) -> None:
    for stmt in block:
        core.machine.current = stmt
        if isinstance(stmt, Store):
            _store(stmt, core)
        elif isinstance(stmt, Let):
            core.values[stmt.var.uid], poison = core.evaluate(stmt.value)
            core.set_taint(stmt.var.uid, poison)
        elif isinstance(stmt, If):
            _branch(stmt, whole, core)
        elif isinstance(stmt, For):
            _loop(stmt, whole, core)


def _store(stmt: Store, core: Core) -> None:
    indices, marks = [], None
    for index in stmt.indices:
        found, poison = core.evaluate(index)
        indices.append(found)
        marks = either(marks, poison)
    _certain(core, marks, "an index")
    value, poison = core.evaluate(stmt.value)
    if poison is not None and poison is not True and not np.any(poison):
        poison = None
    core.store(stmt.buffer, indices, value, poison)


def _certain(core: Core, poison: Any, what: str) -> None:
    """Errors: UnwrittenMemory where an element that takes part is poison."""
    if poison is None:
        return
    if np.any(poison if core.mask is None else poison & core.mask):
        raise UnwrittenMemory(f"{what} depends on memory that nothing wrote")


def _branch(stmt: If, whole: Vectorised, core: Core) -> None:
    condition, poison = core.evaluate(stmt.condition)
    _certain(core, poison, "a condition")
    before = core.mask
    for block, taken in _sides(stmt, condition):
        if block and np.any(taken):
            core.mask = taken if before is None else taken & before
            _block(block, whole, core)
    core.mask = before


def _sides(stmt: If, condition: Any) -> Iterator[tuple[Block, Any]]:
    holds = np.asarray(condition).astype(bool)
    yield stmt.then, holds
    yield stmt.other, ~holds
