"""Conditions of branches: what is left of the values of loops, blocks and cores where one holds.

Only conditions on these are known. What is left may be less than all for which the condition holds, but
it is taken for certain; where the condition tells of one variable only, the first and the last values
are among it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import TypeAlias

from tl_ascend.ir.expr import Compare, Const, Expr, Logic, Scalar, free_vars
from tl_ascend.ir.fold import COMPARE
from tl_ascend.ir.tabulate import numbers

Ranges: TypeAlias = "Mapping[Expr, tuple[int, int]]"
_Spans: TypeAlias = "tuple[tuple[Expr, int, int], ...]"
MOST_POINTS = 16384  # values tried of what is no sum of loop variables


def where_holds(condition: Scalar, ranges: Ranges, holds: bool = True) -> Iterator[Ranges]:
    """Ranges, each within the given ones, in all of which a condition holds, or does not."""
    if isinstance(condition, Logic) and condition.op == "not":
        yield from where_holds(condition.operands[0], ranges, not holds)
    elif isinstance(condition, Logic) and (condition.op == "and") is holds:
        known = [ranges]
        for part in condition.operands:
            known = [left for one in known for left in where_holds(part, one, holds)]
        yield from known
    else:
        names = free_vars(condition)
        if all(var in ranges for var in names):
            for left in _left(condition, tuple((var, *ranges[var]) for var in names), holds):
                yield {**ranges, **{var: (low, high) for var, low, high in left}}


@lru_cache(maxsize=4096)
def _left(condition: Scalar, spans: _Spans, holds: bool) -> tuple[_Spans, ...]:
    """The first and the last values without a gap; of several variables the first and the last point."""
    points, columns = points_of(spans)
    known = truths(condition, columns, len(points))
    taken = [p for p, truth in zip(points, known or (), strict=False) if truth is holds]
    if not taken:
        return ()
    if len(spans) == 1:
        ((var, _, _),) = spans
        return tuple((((var, low, high),)) for low, high in _runs([at for (at,) in taken]))
    return tuple(
        tuple((var, n, n) for (var, _, _), n in zip(spans, point, strict=True))
        for point in dict.fromkeys((taken[0], taken[-1]))
    )


def points_of(
    spans: Sequence[tuple[Expr, int, int]],
) -> tuple[list[tuple[int, ...]], dict[Expr, list[int]]]:
    """All that variables take together, and what each takes there; nothing where that is too much."""
    if prod(high - low + 1 for _, low, high in spans) > MOST_POINTS:
        return [], {}
    points = list(product(*(range(low, high + 1) for _, low, high in spans)))
    return points, {var: [point[at] for point in points] for at, (var, _, _) in enumerate(spans)}


def _runs(values: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last row of numbers that follow each other."""
    breaks = [at for at in range(1, len(values)) if values[at] != values[at - 1] + 1]
    yield values[0], values[breaks[0] - 1 if breaks else -1]
    if breaks:
        yield values[breaks[-1]], values[-1]


def truths(
    condition: Scalar, columns: Mapping[Expr, Sequence[int]], count: int
) -> Sequence[bool] | None:
    """Whether a condition holds, for `count` values of each variable; None where that is not known."""
    if isinstance(condition, Logic):
        parts = [truths(part, columns, count) for part in condition.operands]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        if condition.op == "not":
            return [not truth for truth in known[0]]
        return list(map(all if condition.op == "and" else any, zip(*known, strict=True)))
    if isinstance(condition, Compare):
        a, b = numbers(condition.a, columns, count), numbers(condition.b, columns, count)
        return None if a is None or b is None else list(map(COMPARE[condition.op], a, b))
    values = None if isinstance(condition, Const) else numbers(condition, columns, count)
    return None if values is None else [value != 0 for value in values]
