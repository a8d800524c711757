"""Single elements outside of their buffers, where no branch stands before the access.

Known are loops from and to numbers and the index of the block: they take each of their values, so the
extremes of a sum of them are reached. Whatever else decides an index makes it unknown. Tensors in GM are
left out where T.Parallel becomes a copy, which takes no more than there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from tl_ascend.checks.context import CheckContext, shape_text
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ir.affine import affine
from tl_ascend.ir.expr import Expr, Load, Logic, Scalar, Select
from tl_ascend.ir.geometry import offset
from tl_ascend.ir.nodes import (
    Block,
    Break,
    Buffer,
    CoreScope,
    For,
    Kernel,
    Stmt,
    Store,
    While,
    exprs_of,
    walk_stmts,
)
from tl_ascend.ir.storage import elements, root
from tl_ascend.ir.text import show
from tl_ascend.source.span import Span

Ranges: TypeAlias = "Mapping[Expr, tuple[int, int]]"
_KINDS = frozenset({"serial", "parallel", "unroll", "vectorized", "pipelined"})


def index_range(context: CheckContext) -> None:
    """An element that is read or written for certain lies in its buffer."""
    for stmt, ranges, parallel in _certain(context.before.body, _launched(context.before)):
        seen: set[tuple[int, tuple[Scalar, ...]]] = set()
        for buffer, indices, span in _accesses(stmt):
            cut = parallel and root(buffer).scope == "GM"
            if (buffer.uid, indices) not in seen and not cut:
                seen.add((buffer.uid, indices))
                _check(buffer, indices, ranges, span, context)


def _launched(kernel: Kernel) -> Ranges:
    """The first vector core of a block is always there, so it alone is looked at."""
    launch = kernel.launch
    if launch is None:
        return {}
    first: dict[Expr, tuple[int, int]] = {launch.subblock: (0, 0)}
    if isinstance(launch.blocks, int) and launch.blocks > 0:
        first[launch.block] = (0, launch.blocks - 1)
    return first


def _certain(
    block: Block, ranges: Ranges, parallel: bool = False
) -> Iterator[tuple[Stmt, Ranges, bool]]:
    """The statements that run, whatever the values on the device, and whether in T.Parallel."""
    for stmt in block:
        if isinstance(stmt, While):
            continue
        yield stmt, ranges, parallel
        if isinstance(stmt, CoreScope):
            yield from _certain(stmt.body, ranges, parallel)
        elif isinstance(stmt, For) and _runs_through(stmt):
            assert isinstance(stmt.start, int) and isinstance(stmt.extent, int)
            reached = (stmt.start, stmt.start + stmt.extent - 1)
            inner = parallel or stmt.kind == "parallel"
            yield from _certain(stmt.body, {**ranges, stmt.var: reached}, inner)


def _runs_through(loop: For) -> bool:
    known = isinstance(loop.start, int) and isinstance(loop.extent, int) and loop.extent > 0
    return (
        known
        and loop.kind in _KINDS
        and not any(isinstance(stmt, Break) for stmt in walk_stmts(loop.body))
    )


def _accesses(stmt: Stmt) -> Iterator[tuple[Buffer, tuple[Scalar, ...], Span]]:
    if isinstance(stmt, Store):
        yield stmt.buffer, stmt.indices, stmt.span
    for value in exprs_of(stmt):
        span = stmt.span
        if isinstance(stmt, Store) and value is stmt.value:
            span = stmt.value_span or span
        for load in _loads(value):
            yield load.buffer, load.indices, span


def _loads(value: Scalar) -> Iterator[Load]:
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
        yield from _loads(part)


def _check(
    buffer: Buffer, indices: tuple[Scalar, ...], ranges: Ranges, span: Span, context: CheckContext
) -> None:
    if len(indices) != buffer.rank:
        return
    for dim, (index, size) in enumerate(zip(indices, buffer.shape, strict=True)):
        reached = _reached(index, ranges)
        if reached is None or not isinstance(size, int):
            continue
        low, high = reached
        if low >= 0 and high < size:
            continue
        value = low if low < 0 else high
        inside = _inside(buffer, indices, ranges)
        context.report.add(
            "index-range",
            span,
            f"{buffer.name}[{', '.join(map(show, indices))}] reaches {value} in dimension {dim} of "
            f"{buffer.name}, {shape_text(buffer.shape)}: the indices there are 0 to {size - 1}",
            notes=("These are elements of another row.",) if inside else (),
            severity=Severity.WARNING if inside else Severity.ERROR,
        )
        return


def _reached(value: Scalar, ranges: Ranges) -> tuple[int, int] | None:
    """The least and the greatest value that an index takes."""
    form = affine(value)
    if form is None or any(atom not in ranges for atom in form.terms):
        return None
    low = high = form.constant
    for atom, factor in form.terms.items():
        ends = [factor * end for end in ranges[atom]]
        low, high = low + min(ends), high + max(ends)
    return low, high


def _inside(buffer: Buffer, indices: tuple[Scalar, ...], ranges: Ranges) -> bool:
    """True where all elements lie between the first and the last one of the buffer."""
    total, reached = elements(buffer.shape), _reached(offset(buffer, indices), ranges)
    return total is not None and reached is not None and reached[0] >= 0 and reached[1] < total
