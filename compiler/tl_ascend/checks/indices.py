"""Single elements outside of their buffers, where no unknown branch stands before the access.

Known are loops from and to numbers and the index of the block: they take each of their values, so the
extremes of a sum of them are reached, and those of `%`, `//`, min and max where few values are to be
tried. Whatever else decides an index makes it unknown. Tensors in GM are
left out where T.Parallel becomes a copy, which takes no more than there is.
"""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.checks.causes import indexed, reaching, shortened
from tl_ascend.checks.certain import (
    certain,
    certain_loads,
    launched,
    on_cube_core,
    on_one_core,
    reached,
    told_where,
    turns_within,
    where_reached,
)
from tl_ascend.checks.context import CheckContext, shape_text
from tl_ascend.checks.taken import Ranges
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Cause
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.geometry import offset
from tl_ascend.ir.nodes import Buffer, Stmt, Store, exprs_of
from tl_ascend.ir.storage import elements, root
from tl_ascend.ir.text import show
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Memory


def index_range(context: CheckContext) -> None:
    """An element that is read or written for certain lies in its buffer."""
    seen: set[tuple[Span, int, tuple[Scalar, ...]]] = set()
    for stmt, ranges, parallel in certain(context.before.body, launched(context.before)):
        for buffer, indices, span in _accesses(stmt):
            key, cut = (stmt.span, buffer.uid, indices), parallel and root(buffer).scope == "GM"
            taken = _taken(buffer, ranges, context)
            if key in seen or cut or taken is None:
                continue
            if _outside(buffer, indices, taken, span, context):
                seen.add(key)


def _taken(buffer: Buffer, ranges: Ranges, context: CheckContext) -> Ranges | None:
    """The values that an element sees: both vector cores reach the UB, the cube core what else is on
    chip."""
    place = context.after.placements.get(root(buffer).uid)
    if place is not None and place.memory is Memory.UB:
        return ranges
    on_chip = place is not None and place.memory is not Memory.GM
    return on_cube_core(ranges) if on_chip else on_one_core(ranges)


def _accesses(stmt: Stmt) -> Iterator[tuple[Buffer, tuple[Scalar, ...], Span]]:
    if isinstance(stmt, Store):
        yield stmt.buffer, stmt.indices, stmt.span
    for value in exprs_of(stmt):
        span = stmt.span
        if isinstance(stmt, Store) and value is stmt.value:
            span = stmt.value_span or span
        for load in certain_loads(value):
            yield load.buffer, load.indices, span


def _outside(
    buffer: Buffer, indices: tuple[Scalar, ...], ranges: Ranges, span: Span, context: CheckContext
) -> bool:
    if len(indices) != buffer.rank:
        return False
    for dim, (index, size) in enumerate(zip(indices, buffer.shape, strict=True)):
        ends = reached(index, ranges)
        if ends is None or not isinstance(size, int):
            continue
        low, high = ends
        if low >= 0 and high < size:
            continue
        value = low if low < 0 else high
        where = told_where(where_reached(index, ranges, low >= 0), ranges)
        place = f",{where}" if where else ""
        inside = _inside(buffer, indices, ranges)
        context.report.add(
            "out-of-bounds",
            span,
            f"{buffer.name}[{', '.join(map(show, indices))}] reaches {value} in dimension {dim} of "
            f"{buffer.name}, {shape_text(buffer.shape)}{place}: the indices there are 0 to "
            f"{size - 1}",
            notes=("These are elements of another row.",) if inside else (),
            severity=Severity.WARNING if inside else Severity.ERROR,
            causes=(
                *(_too_far(buffer, dim, index, ranges) if low >= 0 else ()),
                *indexed(index, size),
            ),
        )
        context.outside.add(root(buffer).uid)
        return True
    return False


def _too_far(buffer: Buffer, dim: int, index: Scalar, ranges: Ranges) -> tuple[Cause, ...]:
    """What is at fault where an index reaches beyond the end: loops, or the length of the buffer."""
    ends, size = reached(index, ranges), buffer.shape[dim]
    assert ends is not None and isinstance(size, int)
    return *shortened(turns_within(index, size, ranges)), *reaching(buffer, dim, *ends)


def _inside(buffer: Buffer, indices: tuple[Scalar, ...], ranges: Ranges) -> bool:
    """True where all elements lie between the first and the last one of the buffer."""
    total, ends = elements(buffer.shape), reached(offset(buffer, indices), ranges)
    return total is not None and ends is not None and ends[0] >= 0 and ends[1] < total
