"""A region as what device calls walk: runs of consecutive elements, or rows at a pitch."""

from __future__ import annotations

from dataclasses import dataclass

from tl_ascend.backends.common.rules import Refusal
from tl_ascend.ir.addresses import shape_of
from tl_ascend.ir.affine import same
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.geometry import is_one
from tl_ascend.ir.nodes import Kernel, Region
from tl_ascend.ir.text import show_region


@dataclass(frozen=True, slots=True)
class Rows:
    """`rows` runs of `columns` consecutive elements, `pitch` elements from one to the next."""

    rows: Scalar
    columns: Scalar
    pitch: Scalar

    @property
    def dense(self) -> bool:
        """True where the rows follow each other without gaps, or there is one."""
        return is_one(self.rows) or same(self.columns, self.pitch) is True


def product(extents: tuple[Scalar, ...]) -> Scalar:
    """The number of elements of a box."""
    count: Scalar = 1
    for extent in extents:
        count = binary("*", count, extent)
    return count


def strides(shape: tuple[Scalar, ...]) -> list[Scalar]:
    """Elements from one index to the next, for each dimension of a row-major buffer."""
    out: list[Scalar] = []
    step: Scalar = 1
    for extent in reversed(shape):
        out.insert(0, step)
        step = binary("*", step, extent)
    return out


def merged(kernel: Kernel, region: Region) -> list[tuple[Scalar, Scalar]]:
    """Extent and stride of the dimensions that are walked, inner last; those that continue each
    other are one."""
    steps = strides(shape_of(kernel, region.buffer))
    walked = [
        (extent, step)
        for extent, step in zip(region.extents, steps, strict=True)
        if not is_one(extent)
    ]
    out: list[tuple[Scalar, Scalar]] = []
    for extent, step in reversed(walked):
        if out and same(step, binary("*", *out[0])) is True:
            out[0] = (binary("*", extent, out[0][0]), out[0][1])
        else:
            out.insert(0, (extent, step))
    return out


def contiguous(kernel: Kernel, region: Region) -> bool:
    """True where the elements follow each other without gaps."""
    walked = merged(kernel, region)
    return not walked or (len(walked) == 1 and is_one(walked[0][1]))


def rows_of(kernel: Kernel, region: Region) -> Rows | None:
    """A region of a row-major buffer as rows; None where it has more structure than that. The last
    dimension is the row, as the author wrote it; only what lies before it is merged."""
    steps = strides(shape_of(kernel, region.buffer))
    columns, inner = region.extents[-1], merged(kernel, region)
    outer = [
        (extent, step)
        for extent, step in zip(region.extents[:-1], steps[:-1], strict=True)
        if not is_one(extent)
    ]
    if not outer:
        return Rows(1, columns, columns)
    if len(outer) == 1:
        return Rows(outer[0][0], columns, outer[0][1])
    if len(inner) == 1 and is_one(inner[0][1]):
        rows = product(region.extents[:-1])
        return Rows(rows, columns, columns)
    if len(inner) == 2 and is_one(inner[1][1]):
        return Rows(inner[0][0], inner[1][0], inner[0][1])
    return None


def constant(value: Scalar, region: Region, what: str) -> int:
    """A size that becomes part of a type. Errors: Refusal."""
    if isinstance(value, int):
        return int(value)
    raise Refusal(
        "dynamic-shape",
        region.span,
        f"{show_region(region)}: {what} must be known when the kernel is compiled",
    )


def require_contiguous(kernel: Kernel, tile: Region, call: str) -> None:
    """Errors: Refusal where a call would walk elements beside the region."""
    if not contiguous(kernel, tile):
        raise Refusal(
            "not-lowered",
            tile.span,
            f"{show_region(tile)} is not contiguous, and {call} walks consecutive elements",
            "Copy the region to a tile of its own first.",
        )


def matrix_of(tile: Region) -> tuple[int, int]:
    """Rows and columns of a tile of two dimensions, with extents of 1 before. Errors: Refusal."""
    sizes = [constant(extent, tile, "its size") for extent in tile.extents]
    if any(size != 1 for size in sizes[:-2]):
        raise Refusal("not-lowered", tile.span, f"{show_region(tile)} is no matrix")
    return (sizes[-2] if len(sizes) > 1 else 1), sizes[-1]
