"""Rules of reductions: the axis exists, rows lie where the call looks for them, the result has the
shape that remains."""

from __future__ import annotations

from collections.abc import Sequence

from tl_ascend.checks.causes import repitched, resized
from tl_ascend.checks.context import Call, CheckContext, shape_text, size
from tl_ascend.checks.transfers import rows_of_a_core
from tl_ascend.ir.affine import same
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.geometry import transfer
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import BLOCK, elements, round_up
from tl_ascend.passes.vector_index import contiguous


def reduce_axis(call: Call, context: CheckContext) -> None:
    """`dim` is one of the trailing two dimensions. Upstream counts these alone, so that of three
    dimensions 0 means the second; more it refuses."""
    tile, dim = call.region("buffer"), call.arg("dim")
    if tile is None or not isinstance(dim, int):
        return
    rank = len(tile.extents)
    known = min(rank, 2)
    axis = dim + known if dim < 0 else dim
    if not 0 <= axis < known or (rank > 3 and context.upstream != "none"):
        context.report.add(
            "kernel-form",
            call.span("dim"),
            f"dim={dim} of a tile with the extents {shape_text(tile.extents)}: {call.name} "
            f"{_taken(rank)}",
        )
    elif axis == known - 2:
        _half_column_sum(call, context, dim)


def _taken(rank: int) -> str:
    if rank > 3:
        return "takes tiles of up to three dimensions"
    if rank == 3:
        return "counts the last two of three dimensions alone: dim is 0, 1, -2 or -1"
    return "works along one of the last two dimensions"


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


def reduce_rows(call: Call, context: CheckContext) -> None:
    """Calls get rows and columns only: each row begins at the block behind the one before."""
    tile = call.region("buffer")
    if tile is None or not tile.extents or tile.buffer.dtype.bits % 8:
        return
    real = call.arg("real_shape")
    if real is None and context.upstream != "none" and not contiguous(tile):
        return  # `consecutive_operands` tells it
    stride, width = transfer(tile).stride, tile.buffer.dtype.bits // 8
    rows, columns = _counted(tile, real)
    known = rows_of_a_core(rows, tile, context)
    if known is None or known < 2 or not (isinstance(columns, int) and isinstance(stride, int)):
        return
    pitch, wanted = stride * width, round_up(columns * width, BLOCK)
    if pitch == wanted or not _takes_blocks_only(pitch, context):
        return
    context.report.add(
        "vector-align",
        tile.span,
        f"the rows of {tile.buffer.name} are {pitch} bytes apart; {call.name} looks for {known} rows of "
        f"{columns} elements {wanted} bytes apart, each at the next multiple of {BLOCK} bytes",
        notes=(_way_out(tile, known, columns, wanted // width),),
        causes=(repitched(tile, wanted),),
    )


def _counted(tile: Region, real: object) -> tuple[Scalar, Scalar]:
    """Rows and columns that count; a size of 0 stands for all of it."""
    rows, columns = transfer(tile).rows, tile.extents[-1]
    if isinstance(real, tuple) and len(real) == 2 and len(tile.extents) == 2:
        high, wide = real
        rows = rows if same(high, 0) is True else high
        columns = columns if same(wide, 0) is True else wide
    return rows, columns


def _takes_blocks_only(pitch: int, context: CheckContext) -> bool:
    """PTO knows the width of a tile beside that of its part; Ascend C of the 3510 has rows without
    gaps."""
    if context.before.options.route == "pto":
        return pitch % BLOCK != 0
    return context.platform.npu_arch == "2201"


def _way_out(tile: Region, rows: int, columns: int, wide: int) -> str:
    name = tile.buffer.name
    text = f"Make the rows of {name} {wide} elements long"
    if wide != columns:
        text += f" and say that less of it counts: real_shape=[{rows}, {columns}]"
    return f"{text}, or copy the part to a tile that has such rows."


def reduce_out(call: Call, context: CheckContext) -> None:
    """The result has the extents that remain, with or without a 1 for the axis. Upstream looks at
    tiles of one and two dimensions; hardware only asks for enough room."""
    tile, out, dim = call.region("buffer"), call.region("out"), call.arg("dim")
    if tile is None or out is None or not isinstance(dim, int):
        return
    rank = len(tile.extents)
    if rank > 2 or not -rank <= dim < rank:
        return
    wanted = _results(tile, dim % rank, call.arg("real_shape"))
    if any(_fits(out, shape) for shape in wanted):
        return
    if context.upstream == "none" and not _too_small(out, wanted[0]):
        return
    shapes = " or ".join(dict.fromkeys(map(shape_text, wanted)))
    context.report.add(
        "reduce-shape",
        call.span("out"),
        f"{call.name} of {shape_text(tile.extents)} along dim={dim} gives {shapes}, not "
        f"{shape_text(out.extents)} as {out.buffer.name} has",
        causes=resized(out, wanted[0]),
    )


def _results(tile: Region, axis: int, real: object) -> list[tuple[Scalar, ...]]:
    """The shapes that a result may have. Where only a part of the tile counts, a result may be as
    long as a whole row of it."""
    extents, parted = tile.extents, False
    if isinstance(real, tuple) and len(real) == len(extents) == 2:
        pairs = zip(real, extents, strict=True)
        extents, parted = tuple(e if same(r, 0) is True else r for r, e in pairs), True
    before, behind = extents[:axis], extents[axis + 1 :]
    shapes = [(*before, *behind), (*before, 1, *behind)]
    if parted:
        shapes += [tile.extents[1:], (1, *tile.extents[1:])]
    return shapes


def _fits(out: Region, shape: Sequence[Scalar]) -> bool:
    """True where the shapes may be equal; a slice may have more dimensions of 1."""
    if out.form == "whole":
        pairs = zip(out.extents, shape, strict=False)
        return len(out.extents) == len(shape) and all(same(a, b) is not False for a, b in pairs)
    at = 0
    for extent in out.extents:
        if at < len(shape) and same(extent, shape[at]) is not False:
            at += 1
        elif same(extent, 1) is False:
            return False
    return at == len(shape)


def _too_small(out: Region, shape: tuple[Scalar, ...]) -> bool:
    room, needed = size(out), elements(shape)
    return room is not None and needed is not None and room < needed
