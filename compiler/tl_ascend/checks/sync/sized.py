"""Faults of kernels whose loops have symbolic sizes: with which sizes they are certain."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import takewhile

from tl_ascend.checks.sync.execute import Followed, with_sizes
from tl_ascend.checks.sync.values import is_size
from tl_ascend.ir.expr import Expr, Var, free_vars
from tl_ascend.ir.nodes import Block, Kernel, Let, TileOp, blocks_of, exprs_of

LARGER = 4  # times another size
# What is wrong in one of the executions of a place; nothing where nothing is.
Faults = Callable[[Followed, int], Hashable]


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


def _deciding(kernel: Kernel) -> list[Var]:
    """The sizes that decide how often flags between the cores are used."""
    found: dict[Var, None] = {}
    _look(kernel.body, (), {}, found)
    return list(found)


def _look(
    block: Block, around: tuple[Var, ...], made_of: dict[Var, list[Var]], found: dict[Var, None]
) -> None:
    for stmt in block:
        if isinstance(stmt, Let):
            made_of[stmt.var] = _sizes((stmt.value,), made_of)
            continue
        if isinstance(stmt, TileOp) and "cross_flag" not in stmt.op:
            continue
        here = (*around, *_sizes(exprs_of(stmt), made_of))
        if isinstance(stmt, TileOp):
            found.update(dict.fromkeys(here))
        for inner in blocks_of(stmt):
            _look(inner, here, made_of, found)


def _sizes(values: Iterable[object], made_of: dict[Var, list[Var]]) -> list[Var]:
    names = [name for value in values for name in free_vars(value)]
    return [size for name in names for size in made_of.get(name, [name]) if is_size(size)]
