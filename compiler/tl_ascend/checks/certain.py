"""Statements that run for certain, with the values that loops, blocks and cores have there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from tl_ascend.checks.taken import MOST_POINTS, Ranges, points_of, where_holds
from tl_ascend.ir.affine import affine, interval
from tl_ascend.ir.expr import Expr, Load, Logic, Scalar, Select, Var, free_vars
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import (
    MAX_WALKED,
    Block,
    Break,
    CoreScope,
    For,
    If,
    Kernel,
    Region,
    Stmt,
    While,
    walk_stmts,
)
from tl_ascend.ir.remember import by_identity
from tl_ascend.ir.tabulate import numbers
from tl_ascend.ir.text import show
from tl_ascend.target.hardware import Core

MOST_TURNS = 16  # that a loop has too many
_KINDS = frozenset({"serial", "parallel", "unroll", "vectorized", "pipelined"})


def launched(kernel: Kernel) -> Ranges:
    """The indices of blocks and of vector cores, of which threads=1 leaves one."""
    launch = kernel.launch
    if launch is None:
        return {}
    first: dict[Expr, tuple[int, int]] = {launch.subblock: (0, 0 if launch.threads == 1 else 1)}
    if isinstance(launch.blocks, int) and launch.blocks > 0:
        first[launch.block] = (0, launch.blocks - 1)
    return first


def on_one_core(ranges: Ranges) -> Ranges:
    """Where either half may run: the cube core has the index 0, too, as the first vector core has."""
    return {var: (low, low if _is_core(var) else high) for var, (low, high) in ranges.items()}


def on_cube_core(ranges: Ranges) -> Ranges | None:
    """What is left on the cube core, which has the index 0; None where it never comes."""
    here = on_one_core(ranges)
    return None if any(_is_core(var) and low > 0 for var, (low, _) in here.items()) else here


def _is_core(var: Expr) -> bool:
    return isinstance(var, Var) and var.role == "subblock"


def certain(
    block: Block, ranges: Ranges, parallel: bool = False, branches: bool = True
) -> Iterator[tuple[Stmt, Ranges, bool]]:
    """The statements that run, whatever the values on the device, and whether in T.Parallel. Those of a
    loop whose turns depend on blocks or other loops come once for the first and once for the last of
    these; `branches`: also those behind conditions on blocks and loops."""
    for stmt in block:
        if isinstance(stmt, While):
            continue
        yield stmt, ranges, parallel
        if isinstance(stmt, CoreScope):
            known = on_cube_core(ranges) if stmt.core is Core.CUBE else ranges
            yield from () if known is None else certain(stmt.body, known, parallel, branches)
        elif isinstance(stmt, If) and branches:
            for holds, inside in ((True, stmt.then), (False, stmt.other)):
                for known in where_holds(stmt.condition, ranges, holds) if inside else ():
                    yield from certain(inside, known, parallel)
        elif isinstance(stmt, For):
            inner = parallel or stmt.kind == "parallel"
            for known in _turns(stmt, ranges):
                yield from certain(stmt.body, known, inner, branches)


def _turns(loop: For, ranges: Ranges) -> Iterator[Ranges]:
    """What the loop and the variables that its turns depend on take together, where it runs."""
    names = [var for value in (loop.start, loop.extent) for var in free_vars(value)]
    if any(var not in ranges for var in names):
        return
    ends: list[dict[Expr, int]] = [{var: ranges[var][end] for var in names} for end in (0, 1)]
    for fixed in ends[: 1 if ends[0] == ends[1] else 2]:
        start, extent = substitute(loop.start, fixed), substitute(loop.extent, fixed)
        if not isinstance(start, int) or not isinstance(extent, int):
            continue
        if extent > 0 and _in_order(loop):
            values = (start, start + extent - 1)
            yield {**ranges, **{var: (n, n) for var, n in fixed.items()}, loop.var: values}


def runs_through(loop: For) -> bool:
    known = isinstance(loop.start, int) and isinstance(loop.extent, int) and loop.extent > 0
    return known and _in_order(loop)


def _in_order(loop: For) -> bool:
    """True for a loop that has no turn left out."""
    return loop.kind in _KINDS and not breaks_in(loop.body)


@by_identity(MAX_WALKED)
def breaks_in(block: Block) -> bool:
    """True where a block holds a `break`, at any depth."""
    return any(isinstance(stmt, Break) for stmt in walk_stmts(block))


def certain_loads(value: Scalar) -> Iterator[Load]:
    """The loads that are evaluated in any case."""
    if not isinstance(value, Expr):
        return
    if isinstance(value, Load):
        yield value
    parts = value.children
    if isinstance(value, Select):
        parts = (value.condition,)
    elif isinstance(value, Logic):
        parts = value.operands[:1]
    for part in parts:
        yield from certain_loads(part)


def reached(value: Scalar, ranges: Ranges) -> tuple[int, int] | None:
    """The least and the greatest value that an index takes."""
    found = _sought(value, ranges)
    return None if found is None else (found[0].value, found[1].value)


def each_value(value: object, ranges: Ranges) -> Mapping[int, Mapping[Expr, int]]:
    """All values that an integer takes, each with where it is taken first; none if they are unknown."""
    if not isinstance(value, Expr):
        return {value: {}} if isinstance(value, int) and not isinstance(value, bool) else {}
    spans = [(var, *ranges[var]) for var in free_vars(value) if var in ranges]
    points, columns = points_of(spans)
    if not points:
        return {}
    taken: dict[int, Mapping[Expr, int]] = {}
    for at, number in enumerate(numbers(value, columns, len(points)) or ()):
        if number not in taken:
            taken[number] = {var: column[at] for var, column in columns.items()}
    return taken


def where_reached(value: Scalar, ranges: Ranges, high: bool) -> Mapping[Expr, int]:
    """Values of loops and blocks with which an index is greatest or least."""
    found = _sought(value, ranges)
    return {} if found is None else found[high].at


def turns_within(value: Scalar, size: int, ranges: Ranges) -> list[tuple[Expr, int]]:
    """The loops of which fewer turns keep an index below a size, each with the last turn that does."""
    found: list[tuple[Expr, int]] = []
    for var in free_vars(value) if isinstance(value, Expr) else ():
        if isinstance(var, Var) and var.role == "loop" and var in ranges:
            low, high = ranges[var]
            for last in range(high - 1, max(low, high - MOST_TURNS) - 1, -1):
                ends = reached(value, {**ranges, var: (low, last)})
                if ends is not None and 0 <= ends[0] and ends[1] < size:
                    found.append((var, last))
                    break
    return found


def turns_from(value: Scalar, ranges: Ranges) -> list[tuple[Expr, int]]:
    """The loops without whose first turn an index is not below 0, each with the turn behind it."""
    found: list[tuple[Expr, int]] = []
    for var in free_vars(value) if isinstance(value, Expr) else ():
        if isinstance(var, Var) and var.role == "loop" and var in ranges:
            low, high = ranges[var]
            ends = reached(value, {**ranges, var: (low + 1, high)}) if low < high else None
            if ends is not None and ends[0] >= 0:
                found.append((var, low + 1))
    return found


def past_end(region: Region, at: int, ranges: Ranges) -> int | None:
    """The greatest start along a dimension of a part that goes over the end of its tensor there and
    begins within it; None where that is not certain."""
    size, extent = region.buffer.shape[at], region.extents[at]
    ends = reached(region.starts[at], ranges)
    if ends is None or not isinstance(size, int) or not isinstance(extent, int):
        return None
    return ends[1] if ends[0] >= 0 and ends[1] < size < ends[1] + extent else None


def told_where(at: Mapping[Expr, int], ranges: Ranges) -> str:
    """` at t = 2`; nothing of what has one value alone, unless a branch left it that."""
    values = [f"{show(var)} = {n}" for var, n in at.items() if _varies(var, ranges)]
    return f" at {', '.join(values)}" if values else ""


def _varies(var: Expr, ranges: Ranges) -> bool:
    low, high = interval(var)
    return ranges[var][0] != ranges[var][1] or low != high


class _End(NamedTuple):
    """A value, and where it is taken."""

    value: int
    at: Mapping[Expr, int]


def _sought(value: Scalar, ranges: Ranges) -> tuple[_End, _End] | None:
    """The sum of the ends of its independent parts: loops take all of their values together."""
    form = affine(value)
    if form is None:
        return None
    low = high = _End(form.constant, {})
    for terms in _independent(form.terms):
        ends = _ends(terms, ranges)
        if ends is None:
            return None
        low, high = _plus(low, ends[0]), _plus(high, ends[1])
    return low, high


def _plus(one: _End, other: _End) -> _End:
    return _End(one.value + other.value, {**one.at, **other.at})


def _independent(terms: Mapping[Expr, int]) -> list[Mapping[Expr, int]]:
    """Terms in groups, of which no two share a variable."""
    groups: list[tuple[frozenset[Expr], dict[Expr, int]]] = []
    for atom, factor in terms.items():
        names, group = frozenset[Expr](free_vars(atom)), {atom: factor}
        apart = []
        for known, others in groups:
            if known.isdisjoint(names):
                apart.append((known, others))
            else:
                names, group = names | known, {**others, **group}
        groups = [*apart, (names, group)]
    return [group for _, group in groups]


def _ends(terms: Mapping[Expr, int], ranges: Ranges) -> tuple[_End, _End] | None:
    names = list(dict.fromkeys(var for atom in terms for var in free_vars(atom)))
    if not names or not ranges.keys() >= set(names):
        return None
    if list(terms) == names:
        ((var, factor),) = terms.items()
        first, last = (_End(factor * end, {var: end}) for end in ranges[var])
        return (first, last) if factor > 0 else (last, first)
    return _enumerated(tuple(terms.items()), tuple((var, *ranges[var]) for var in names))


@lru_cache(maxsize=4096)
def _enumerated(
    terms: tuple[tuple[Expr, int], ...], spans: tuple[tuple[Expr, int, int], ...]
) -> tuple[_End, _End] | None:
    """The ends of what is no sum of variables, of all values that these take together."""
    count = prod(high - low + 1 for _, low, high in spans)
    if count > MOST_POINTS:
        return None
    points = list(product(*(range(low, high + 1) for _, low, high in spans)))
    columns = {var: [point[at] for point in points] for at, (var, _, _) in enumerate(spans)}
    sums = [0] * count
    for atom, factor in terms:
        values = numbers(atom, columns, count)
        if values is None:
            return None
        sums = [n + factor * x for n, x in zip(sums, values, strict=True)]
    at = sums.index(min(sums)), sums.index(max(sums))
    first, last = ({var: column[n] for var, column in columns.items()} for n in at)
    return _End(sums[at[0]], first), _End(sums[at[1]], last)
