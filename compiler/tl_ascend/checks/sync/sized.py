"""Faults of kernels whose loops have symbolic sizes: with which sizes they are certain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from tl_ascend.checks.sync.execute import (
    Executions,
    Followed,
    Run,
    at_size,
    with_sizes,
)
from tl_ascend.checks.sync.places import Place
from tl_ascend.checks.sync.values import is_size
from tl_ascend.ir.expr import Expr, Var, free_vars
from tl_ascend.ir.nodes import Block, Kernel, Let, Stmt, TileOp, blocks_of, exprs_of
from tl_ascend.source.span import Span

LARGER = 4  # times another size
# What is wrong in one of the executions of a place; nothing where nothing is.
Faults = Callable[[Followed, int], Hashable]
Shows = Callable[[Run], bool]
_Wanted = Callable[[Stmt], bool]


@dataclass(slots=True)
class Sizes:
    """With which sizes of symbolic dimensions a fault shows. `_kept`: executions that were needed for
    that, by place and size."""

    kernel: Kernel
    found: Executions
    _kept: dict[tuple[int, int], Followed] = field(default_factory=dict)

    def notes(
        self, place: Place, shows: Shows, spans: Collection[Span], always: bool = False
    ) -> tuple[str, ...]:
        """Names the least size, where one decides whether, or how often, statements are executed, and
        the fault does not show with the smallest one of all. `always`: also where it does."""
        followed = self._at_place(place)
        sizes = [run.size for runs in followed.groups for run in runs if shows(run)]
        names = _deciding(self.kernel, lambda stmt: stmt.span in spans)
        if not (sizes and names and followed.of_sizes):
            return ()
        if not always and self._shown(followed, 1, shows):
            return ()
        low, high = min(sizes) - 1 if always else 1, min(sizes)
        while high - low > 1 and followed.short:
            middle = (low + high) // 2
            found = self._shown(followed, middle, shows)
            low, high = (low, middle) if found else (middle, high)
        return (f"This happens with {' = '.join(name.name for name in names)} = {high}.",)

    def _at_place(self, place: Place) -> Followed:
        alike = [one for one in self.found.places if one.place.block == place.block]
        mine = (
            one for one in alike if any(run.place == place for runs in one.groups for run in runs)
        )
        return next(mine, alike[0])

    def _shown(self, followed: Followed, size: int, shows: Shows) -> bool:
        key = id(followed), size
        if key not in self._kept:
            self._kept[key] = at_size(self.kernel, followed, size, self.found.crosses)
        return any(shows(run) for runs in self._kept[key].groups for run in runs)


def alone(runs: Sequence[Run], followed: Followed, kernel: Kernel, shows: Shows) -> bool:
    """True where a core shows a fault whatever sizes have to each other."""
    names = _deciding(kernel, _flag)
    size = max(run.size for run in runs)
    core, vector = runs[0].core, runs[0].place.vector
    for name in names if len(names) > 1 else ():
        sizes: dict[Expr, int] = {o: LARGER * size if o is name else size for o in names}
        found = with_sizes(kernel, followed, sizes, cross=False)
        if not all(map(shows, found.cores.get((core, vector), ()))):
            return False
    return True


def _flag(stmt: Stmt) -> bool:
    return isinstance(stmt, TileOp) and stmt.op in ("set_flag", "wait_flag")


def least(found: Followed, kernel: Kernel, faults: Faults) -> int | None:
    """The execution with the smallest size from which on all have the faults of the largest one,
    whatever sizes have to each other. None where there are no such ones."""
    if not found.sized:
        return None
    order = sorted(range(len(found.sizes)), key=lambda at: -found.sizes[at])
    wanted = faults(found, order[0])
    same = list(takewhile(lambda at: faults(found, at) == wanted, order))
    if not wanted or len(same) < 2:
        return None
    names = _deciding(kernel)
    size = found.sizes[order[0]]
    for name in names if len(names) > 1 else ():
        sizes: dict[Expr, int] = {o: LARGER * size if o is name else size for o in names}
        if faults(with_sizes(kernel, found, sizes), 0) != wanted:
            return None
    return same[-1]


def with_size(found: Followed, kernel: Kernel, at: int) -> str:
    """The sizes of an execution, in words: ` with M = K = 64`."""
    names = [name.name for name in _deciding(kernel)]
    return f" with {' = '.join(names)} = {found.sizes[at]}" if names else ""


def between(stmt: Stmt) -> bool:
    """True for a flag between the cores."""
    return isinstance(stmt, TileOp) and "cross_flag" in stmt.op


def _deciding(kernel: Kernel, wanted: _Wanted = between) -> list[Var]:
    """The sizes that decide how often some calls are made."""
    found: dict[Var, None] = {}
    _look(kernel.body, wanted, (), {}, found)
    return list(found)


def _look(
    block: Block,
    wanted: _Wanted,
    around: tuple[Var, ...],
    made_of: dict[Var, list[Var]],
    found: dict[Var, None],
) -> None:
    for stmt in block:
        if isinstance(stmt, Let):
            made_of[stmt.var] = _sizes((stmt.value,), made_of)
            continue
        mine, call = wanted(stmt), isinstance(stmt, TileOp)
        if call and not mine:
            continue
        inside = blocks_of(stmt)
        flag = isinstance(stmt, TileOp) and "flag" in stmt.op
        here = (*around, *_sizes(exprs_of(stmt), made_of)) if flag or inside else around
        if mine:
            found.update(dict.fromkeys(here))
        for inner in inside:
            _look(inner, wanted, here, made_of, found)


def _sizes(values: Iterable[object], made_of: dict[Var, list[Var]]) -> list[Var]:
    names = [name for value in values for name in free_vars(value)]
    return [size for name in names for size in made_of.get(name, [name]) if is_size(size)]
