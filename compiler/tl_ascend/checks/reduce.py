"""Rules of reductions: the axis exists, the result has the shape that remains."""

from __future__ import annotations

from tl_ascend.checks.context import Call, CheckContext, shape_text, size


def reduce_axis(call: Call, context: CheckContext) -> None:
    """`dim` is one of the trailing two dimensions."""
    tile, dim = call.region("buffer"), call.arg("dim")
    if tile is None or not isinstance(dim, int):
        return
    rank = len(tile.extents)
    axis = dim + rank if dim < 0 else dim
    if not 0 <= axis < rank or axis < rank - 2:
        context.report.add(
            "kernel-form",
            call.span("dim"),
            f"dim={dim} of a tile with the extents {shape_text(tile.extents)}: {call.name} works "
            "along one of the last two dimensions",
        )
    elif axis == rank - 2:
        _half_column_sum(call, context, dim)


def _half_column_sum(call: Call, context: CheckContext, dim: int) -> None:
    tile = call.region("buffer")
    if tile is None or call.row.name != "reduce_sum" or context.upstream == "none":
        return
    if tile.buffer.dtype.name != "float16" or size(tile) is None:
        return
    context.report.add(
        "dtype-unsupported",
        call.op.span,
        f"reduce_sum of float16 along dim={dim} adds along the rows instead of the columns",
        notes=(
            "The stride between repeats counts blocks of 32 bytes: a step of one float16 cannot be "
            "expressed. This is a defect of upstream's template; float32, max and min are right.",
            "Cast to float32, reduce, and cast back.",
        ),
    )
