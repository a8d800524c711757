"""Parts of buffers that reach beyond them, where no unknown branch stands before the access.

On chip nothing cuts a part. T.copy cuts the rows and columns that it moves of a tensor in GM at its
end, so that only a part of which nothing exists is worth a word there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tl_ascend.checks.causes import begun_later, indexed, reaching, shortened, sizes_asked
from tl_ascend.checks.certain import (
    certain,
    launched,
    on_cube_core,
    on_one_core,
    reached,
    told_where,
    turns_from,
    turns_within,
    where_reached,
)
from tl_ascend.checks.context import CheckContext, shape_text
from tl_ascend.checks.taken import Ranges
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Cause, Related
from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Expr, Scalar, free_vars
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.geometry import active, offset, resolve_copy
from tl_ascend.ir.nodes import Region, TileOp, regions_of
from tl_ascend.ir.storage import elements, root
from tl_ascend.ir.text import show_region
from tl_ascend.target.hardware import Memory


def region_range(context: CheckContext) -> None:
    """A part that an operation takes for certain lies in its buffer. Each part is told once."""
    seen: set[tuple[int, tuple[Scalar, ...], tuple[Scalar, ...]]] = set()
    every: dict[int, list[Region]] = {}
    for stmt, ranges, _ in certain(context.before.body, launched(context.before)):
        if not isinstance(stmt, TileOp):
            continue
        if id(stmt) not in every:
            parts = list(parts_of_call(stmt))
            every[id(stmt)] = [] if all(map(_whole, parts)) else parts
        parts = every[id(stmt)]
        for region in parts:
            if _whole(region):
                continue
            key = region.buffer.uid, region.starts, region.extents
            if len(region.starts) != region.buffer.rank or key in seen:
                continue
            cut = _cut(stmt, region)
            taken = _taken(region, parts, ranges, context)
            if taken is None:
                continue
            if _outside(region, cut, taken, context) or _nothing_exists(
                region, cut, taken, context
            ):
                seen.add(key)


def _whole(region: Region) -> bool:
    shape = region.buffer.shape
    return region.extents == shape and all(start == 0 for start in region.starts)


def _taken(
    region: Region, parts: list[Region], ranges: Ranges, context: CheckContext
) -> Ranges | None:
    """The values that a region sees. Both vector cores move what lies in the UB, and in GM where nothing
    else is moved than what lies in the UB; the cube core everything else on chip."""
    here, there = context.memory(region), {context.memory(part) for part in parts} - {Memory.GM}
    memories = there if here is Memory.GM else {here}
    if memories == {Memory.UB}:
        return ranges
    return on_one_core(ranges) if not there else on_cube_core(ranges)


def parts_of_call(stmt: TileOp) -> Iterator[Region]:
    """Regions with the extents that they take from the other side of a copy."""
    sides = stmt.args[:2]
    if stmt.op == "copy" and all(isinstance(side, Region) for side in sides):
        source, target = sides
        assert isinstance(source, Region) and isinstance(target, Region)
        resolved = resolve_copy(source, target, True)
        yield from resolved if isinstance(resolved, tuple) else ()
        return
    yield from regions_of(stmt)


def _cut(stmt: TileOp, region: Region) -> list[int]:
    """The dimensions that a copy cuts at the end of a tensor."""
    if stmt.op not in ("copy", "tile.atomic_add") or root(region.buffer).scope != "GM":
        return []
    return active(region.extents)[-2:]


def _outside(region: Region, cut: list[int], ranges: Ranges, context: CheckContext) -> bool:
    for dim, (start, extent, size) in enumerate(
        zip(region.starts, region.extents, region.buffer.shape, strict=True)
    ):
        if isinstance(size, Expr) or start == 0 and extent == size:
            continue
        last = _last(start, extent)
        first_ends, last_ends = reached(start, ranges), reached(last, ranges)
        if first_ends is None or last_ends is None:
            continue
        if last_ends[1] < first_ends[0]:
            continue  # an empty part
        over = last_ends[1] >= size and dim not in cut
        if first_ends[0] < 0 or over:
            at = (start, last)[over]
            if not _exists(extent, where_reached(at, ranges, over), ranges):
                continue
            _report(region, dim, at, ranges, context)
            return True
    return False


def _exists(extent: Scalar, at: Mapping[Expr, int], ranges: Ranges) -> bool:
    """True where a part is not empty there."""
    ends = reached(substitute(extent, at), ranges)
    return ends is not None and ends[1] > 0


def _last(start: Scalar, extent: Scalar) -> Scalar:
    return binary("-", binary("+", start, extent), 1)


def _report(region: Region, dim: int, at: Scalar, ranges: Ranges, context: CheckContext) -> None:
    buffer, ends = region.buffer, reached(at, ranges)
    context.outside.add(root(buffer).uid)
    size = buffer.shape[dim]
    assert ends is not None and isinstance(size, int)
    high = ends[1] >= size
    inside = _inside(region, ranges)
    where = told_where(where_reached(at, ranges, high), ranges)
    place = f",{where}" if where else ""
    context.report.add(
        "out-of-bounds",
        region.span,
        f"{show_region(region)} reaches {ends[high]} in dimension {dim} of {buffer.name}, "
        f"{shape_text(buffer.shape)}{place}: the indices there are 0 to "
        f"{size - 1}",
        notes=("These are elements of another row.",) if inside else (),
        severity=Severity.WARNING if inside else Severity.ERROR,
        related=(Related(buffer.span, f"{buffer.name}: {shape_text(buffer.shape)}"),),
        causes=(
            *_other_sizes(region, dim, ranges, context),
            *(shortened(turns_within(at, size, ranges)) if high else ()),
            *(() if high else begun_later(turns_from(at, ranges))),
            *(_declared(region, dim, ends[1], ranges) if high else ()),
            *indexed(region.starts[dim], size),
        ),
    )


def _declared(region: Region, dim: int, last: int, ranges: Ranges) -> tuple[Cause, ...]:
    first = reached(region.starts[dim], ranges)
    return reaching(region.buffer, dim, first[0], last) if first is not None else ()


def _other_sizes(
    region: Region, dim: int, ranges: Ranges, context: CheckContext
) -> tuple[Cause, ...]:
    """What else is told of a part, where it lies inside with the length that is wanted there."""
    rest = elements((*region.extents[:dim], *region.extents[dim + 1 :]))
    found = []
    for total, cause in sizes_asked(context.report.findings, region).items():
        if isinstance(total, int) and rest and total % rest == 0:
            first, last = region.starts[dim], _last(region.starts[dim], total // rest)
            low, high = reached(first, ranges), reached(last, ranges)
            size = region.buffer.shape[dim]
            if low and high and low[0] >= 0 and isinstance(size, int) and high[1] < size:
                found.append(cause)
    return tuple(found)


def _inside(region: Region, ranges: Ranges) -> bool:
    """True where all elements lie between the first and the last one of the buffer."""
    last = tuple(_last(s, e) for s, e in zip(region.starts, region.extents, strict=True))
    total = elements(region.buffer.shape)
    low = reached(offset(region.buffer, region.starts), ranges)
    high = reached(offset(region.buffer, last), ranges)
    known = total is not None and low is not None and high is not None
    return known and low[0] >= 0 and high[1] < total  # type: ignore[index,operator]


def _nothing_exists(region: Region, cut: list[int], ranges: Ranges, context: CheckContext) -> bool:
    """Every value of an index lies beyond the tensor, be it for the second vector core alone or in one
    turn of a loop."""
    buffer = region.buffer
    for dim in cut:
        start, size = region.starts[dim], buffer.shape[dim]
        if not isinstance(size, int):
            continue
        at = _beyond(start, region.extents[dim], size, ranges)
        at = _turn_beyond(start, size, ranges) if at is None else at
        if at is None:
            continue
        where = told_where(at, ranges)
        place = f",{where}" if where else ""
        context.report.add(
            "out-of-bounds",
            region.span,
            f"{show_region(region)} begins at {_least(start, at, ranges)} or beyond in "
            f"dimension {dim} of {buffer.name}, {shape_text(buffer.shape)}{place}: nothing of it exists",
            notes=("T.copy moves none of it: a tile that it loads is padding throughout.",),
            severity=Severity.WARNING,
            related=(Related(buffer.span, f"{buffer.name}: {shape_text(buffer.shape)}"),),
            causes=(*shortened(turns_within(start, size, ranges)), *indexed(start, size)),
        )
        return True
    return False


def _beyond(start: Scalar, extent: Scalar, size: int, ranges: Ranges) -> Mapping[Expr, int] | None:
    """The core on which a part always begins beyond the end, none where it does on each; None where it
    does not. The second core has nothing, too, where the first one takes the tail of a tensor: a part
    of which there is more behind it is no tail."""
    if _begins(start, size):
        return {}
    for core in free_vars(start):
        if core.role != "subblock" or ranges.get(core, (0, 0))[1] != 1:
            continue
        before, behind = substitute(start, {core: 0}), substitute(start, {core: 1})
        end = reached(binary("+", before, extent), ranges)
        more = end is not None and end[0] < size
        if _begins(behind, size) and (more or ranges[core][0] == 1):
            return {core: 1}
    return None


def _turn_beyond(start: Scalar, size: int, ranges: Ranges) -> Mapping[Expr, int] | None:
    """The last turn of a loop, or the first one, in which a part begins beyond the end on every core
    and in every block."""
    most = interval(start)[1]
    if most is not None and most < size:
        return None
    for var in free_vars(start):
        low, high = ranges.get(var, (0, 0))
        if var.role != "loop" or low == high:
            continue
        for turn in (high, low):
            ends = reached(start, {**ranges, var: (turn, turn)})
            if ends is not None and ends[0] >= size:
                return {var: turn}
    return None


def _least(start: Scalar, at: Mapping[Expr, int], ranges: Ranges) -> int | None:
    ends = reached(substitute(start, at), {**ranges, **{var: (n, n) for var, n in at.items()}})
    return interval(substitute(start, at))[0] if ends is None else ends[0]


def _begins(start: Scalar, size: int) -> bool:
    least = interval(start)[0]
    return least is not None and least >= size
