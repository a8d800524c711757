"""The geometry of a copy: which extents each side gets, and what a transfer moves of GM.

Upstream's rules (`spec/a2a3.md` 1.4): a corner takes the extents of the other side, aligned at the
last dimension; a name or a slice keeps its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from tl_ascend.ir.affine import same
from tl_ascend.ir.changed import changed
from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.facts import Facts
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Buffer, Region


class CopyFault(Enum):
    """Why the extents of a copy cannot be resolved."""

    PARTIAL_SOURCE = "the source has fewer indices than dimensions"
    PARTIAL_TARGET = "the destination has fewer indices than dimensions"
    NO_EXTENTS = "both sides are single elements"
    SHAPES_DIFFER = "two whole buffers of different shape"


def is_one(extent: Scalar) -> bool:
    return not isinstance(extent, Expr) and extent == 1


def partial(region: Region) -> bool:
    """True where the author gave fewer indices than the buffer has dimensions."""
    return len(region.starts) < region.buffer.rank


def resolve_copy(
    source: Region, target: Region, transpose: bool
) -> tuple[Region, Region] | CopyFault:
    """Both sides with their extents."""
    if partial(source):
        return CopyFault.PARTIAL_SOURCE
    if partial(target):
        return CopyFault.PARTIAL_TARGET
    if source.form == "start" and target.form == "start":
        return CopyFault.NO_EXTENTS
    if source.form == "whole" and target.form == "whole" and not transpose:
        if _differ(source.buffer.shape, target.buffer.shape):
            return CopyFault.SHAPES_DIFFER
    return _extend(source, target), _extend(target, source)


def _differ(a: tuple[Scalar, ...], b: tuple[Scalar, ...]) -> bool:
    return len(a) != len(b) or any(same(x, y) is False for x, y in zip(a, b, strict=True))


def _extend(region: Region, other: Region) -> Region:
    if region.form != "start":
        return region
    rank, given = region.buffer.rank, other.extents
    extents = (1,) * (rank - len(given)) + given[max(0, len(given) - rank) :]
    return changed(region, extents=extents, form="slice")


def active(extents: tuple[Scalar, ...]) -> list[int]:
    """The dimensions that a transfer walks: those whose extent is not 1, the last one always, and
    the one before it where there is no other."""
    found = [at for at, extent in enumerate(extents) if not is_one(extent)]
    last = len(extents) - 1
    if last >= 0 and (not found or found[-1] != last):
        found.append(last)
    if last >= 1 and len(found) == 1:
        found.insert(0, last - 1)
    return found


def tile_of(region: Region) -> Region:
    """The whole tile that a region is a part of: of a buffer with versions, its own."""
    rank = min(2, len(region.starts))
    starts = (*region.starts[:-rank], *(0 for _ in range(rank)))
    extents = (*(1 for _ in starts[:-rank]), *region.buffer.shape[-rank:])
    return replace(region, starts=starts, extents=extents, form="slice")


@dataclass(frozen=True, slots=True)
class Transfer:
    """What a copy moves of a tensor in GM. Unit: elements. `stride`: from row to row; `valid_*`:
    the part of rows and columns that exists, less than `rows` and `columns` at the edge."""

    rows: Scalar
    columns: Scalar
    stride: Scalar
    valid_rows: Scalar
    valid_columns: Scalar


def transfer(region: Region) -> Transfer:
    """The geometry of the GM side of a copy, whose extents are resolved."""
    shape, axes = region.buffer.shape, active(region.extents)
    column = axes[-1]
    columns, valid = region.extents[column], valid_extent(region, column)
    stride = row_stride(region)
    if len(axes) < 2:
        return Transfer(1, columns, stride, 1, valid)
    row = axes[-2]
    assert len(shape) > row
    return Transfer(region.extents[row], columns, stride, valid_extent(region, row), valid)


def row_stride(region: Region) -> Scalar:
    """Elements from one row to the next: the last dimension, times each one further left as long
    as the region takes a single element of it."""
    shape = region.buffer.shape
    stride: Scalar = shape[-1]
    for at in range(len(shape) - 2, -1, -1):
        if not is_one(region.extents[at]):
            break
        stride = binary("*", stride, shape[at])
    return stride


def valid_extent(region: Region, axis: int) -> Scalar:
    """How much of an extent lies inside the buffer: all, the remainder, or nothing."""
    if axis in region.inside:
        return region.extents[axis]
    left = binary("-", region.buffer.shape[axis], region.starts[axis])
    return binary("max", binary("min", region.extents[axis], left), 0)


def offset(buffer: Buffer, starts: tuple[Scalar, ...]) -> Scalar:
    """The row-major element offset of an index."""
    value: Scalar = 0
    for extent, start in zip(buffer.shape, starts, strict=True):
        value = binary("+", binary("*", value, extent), start)
    return value


def certain_inside(region: Region, facts: Facts) -> Region:
    """The region with what is certain where the facts hold."""
    found = []
    for axis in active(region.extents)[-2:]:
        extent, size = region.extents[axis], region.buffer.shape[axis]
        if same(valid_extent(region, axis), extent) is True:
            continue
        left = binary("-", binary("-", size, region.starts[axis]), extent)
        if facts.at_least(extent, 0) and facts.at_least(left, 0):
            found.append(axis)
    return replace(region, inside=tuple(found)) if found else region
