"""Which part of a tile a reduction reads, and along which axis."""

from __future__ import annotations

from tl_ascend.backends.common.emission import Emission
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.views import constant, rows_of
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.text import show_region


def reduced_axis(call: Call, tile: Region) -> int:
    """-1 along a row, 0 along a column. Of a tile with three dimensions upstream counts the last
    two only: there dim 0 is a column and dim 1 a row."""
    dim, rank = call.arg("dim"), len(tile.extents)
    if not isinstance(dim, int):
        text = "dim must be known when the kernel is compiled"
        raise Refusal("dynamic-shape", call.span("dim"), text)
    rank = min(rank, 2)
    return -1 if dim % rank == rank - 1 else 0


def reduced_sizes(emission: Emission, call: Call, tile: Region) -> tuple[int, int]:
    """Rows and columns that count. Errors: Refusal."""
    walked = rows_of(emission.kernel, tile)
    if walked is None:
        text = f"{show_region(tile)} has more than two dimensions to walk"
        raise Refusal("not-lowered", tile.span, text)
    rows = constant(walked.rows, tile, "the number of its rows")
    columns = constant(walked.columns, tile, "the number of its columns")
    real = call.arg("real_shape")
    if isinstance(real, tuple) and len(real) == 2:
        # A size of 0 stands for all of it.
        high, wide = (constant(size, tile, "real_shape") for size in real)
        rows, columns = high or rows, wide or columns
    return rows, columns
