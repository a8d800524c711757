"""T.copy on the cube core: GM to L1, L1 to L0A and L0B, L0C to GM.

At the edge of a tensor the templates move only what exists. They read a tail of 0 as "no tail", so
where a tile may lie outside the tensor altogether the call is guarded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.fractals import consecutive
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.transfers import fixpipe, full, inside, one_type
from tl_ascend.backends.common.views import constant
from tl_ascend.backends.pto import transfers
from tl_ascend.backends.pto.tiles import NAMES, TURNED, Shape, fractals
from tl_ascend.ir.addresses import FRACTAL, matrix, shape_of
from tl_ascend.ir.affine import same
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.geometry import Transfer
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.text import show_region
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto


def gm_to_l1(emission: Pto, call: Call, source: Region, target: Region) -> None:
    one_type(emission, source, target)
    exists, moved = inside(source)
    tile = whole_tile(emission, target)
    part = _part(emission, target, tile)
    complete = full(moved.valid_rows, target.extents[-2] if len(target.extents) > 1 else 1)
    complete = complete and full(moved.valid_columns, target.extents[-1])
    covers = _covers(emission, target)
    if call.op.clears:
        _clear_l1(emission, target, tile)
        emission.barrier("MTE2")
    with emission.guarded(exists):
        if covers or (complete and _whole_fractals(emission, target)):
            _fill_l1(emission, source, target, moved, part)
        else:
            _into_l1(emission, source, target, moved, Shape(tile.rows, part.columns, 0, 0))
    if covers and exists is not True:
        with emission.out.otherwise():
            _clear_l1(emission, target, tile)


def whole_tile(emission: Pto, region: Region) -> Shape:
    """The whole fractals of one version of a buffer in L1 or L0. Errors: Refusal."""
    sizes = matrix(shape_of(emission.kernel, region.buffer))
    rows, columns = (constant(size, region, "its size") for size in sizes)
    return fractals(rows, columns, region.buffer.dtype, emission.memory(region))


def _part(emission: Pto, region: Region, tile: Shape) -> Shape:
    """The whole fractals of a region; as large as its tile along sizes that only the device knows."""
    rows, columns = matrix(region.extents)
    high = rows if isinstance(rows, int) else tile.rows
    wide = columns if isinstance(columns, int) else tile.columns
    return fractals(int(high), int(wide), region.buffer.dtype, emission.memory(region))


def _whole_fractals(emission: Pto, region: Region) -> bool:
    """True where what is missing from the fractals of a region is no element of its tile: the template
    fills them up. (Rows are filled up by the move itself.)"""
    rows, _ = matrix(shape_of(emission.kernel, region.buffer))
    high, _ = matrix(region.extents)
    full_height = same(high, rows) is True or (isinstance(high, int) and high % FRACTAL == 0)
    return full_height and consecutive(emission.kernel, region)


def _covers(emission: Pto, region: Region) -> bool:
    """True where a region is certainly all of its tile: only then may what is missing be filled behind
    the move, for other copies may fill the rest."""
    sizes = matrix(shape_of(emission.kernel, region.buffer))
    return all(same(*pair) is True for pair in zip(matrix(region.extents), sizes, strict=True))


def _fill_l1(emission: Pto, source: Region, target: Region, moved: Transfer, part: Shape) -> None:
    """The template fills with 0 what is missing from whole fractals."""
    kind, rows, columns = emission.type(target.buffer), part.rows, part.columns
    emission.call(
        f"tl::ascend_pto::copy_gm_to_l1_dynamic<{kind}, {kind}, "
        f"{transfers.types(rows, columns, moved.stride)}, {rows}, {columns}>",
        emission.pointer(source),
        *transfers.values(emission, rows, columns, moved.stride),
        emission.values.index(emission.tiles.address(target)),
        "0",
        *map(emission.values.index, (moved.valid_rows, moved.valid_columns)),
    )


def _into_l1(emission: Pto, source: Region, target: Region, moved: Transfer, shape: Shape) -> None:
    """Rows into a part of a tile, whose other elements stay."""
    kind, sizes = emission.type(target.buffer), (moved.valid_rows, moved.valid_columns)
    tile = Shape(shape.rows, shape.columns, *sizes)
    to = emission.tiles.made(
        target.buffer, NAMES[Memory.L1], kind, tile, emission.tiles.address(target)
    )
    rows, columns = map(emission.values.index, sizes)
    known = isinstance(moved.stride, int)
    step = str(moved.stride) if known else "-1"
    given = "" if known else emission.values.index(moved.stride)
    shape_type, stride_type = "pto::Shape<1, 1, 1, -1, -1>", f"pto::Stride<1, 1, 1, {step}, 1>"
    name = emission.names.fresh(f"{to}_gm")
    emission.out.line(
        f"pto::GlobalTensor<{kind}, {shape_type}, {stride_type}> {name}({emission.pointer(source)}, "
        f"{shape_type}({rows}, {columns}), {stride_type}({given}));"
    )
    emission.call("TLOAD", to, name)


def _clear_l1(emission: Pto, target: Region, tile: Shape) -> None:
    """What nothing is moved to is 0."""
    to = emission.tiles.view(target, tile, name=NAMES[Memory.L1])
    emission.call("TEXPANDS", to, emission.values.typed(0, target.buffer.dtype))


def l1_to_l0(emission: Pto, call: Call, source: Region, target: Region) -> None:
    kind, name = one_type(emission, source, target), call.form.name
    if not consecutive(emission.kernel, target):
        raise Refusal(
            "not-lowered",
            target.span,
            f"{show_region(target)} is not a run of whole fractals, and the move to "
            f"{emission.memory(target).value} fills one",
        )
    turn, tile = call.flag("transpose"), whole_tile(emission, source)
    part, memory = _part(emission, target, whole_tile(emission, target)), emission.memory(target)
    to = emission.tiles.view(target, part, name=_named(emission, target, part, memory))
    at, base = _corner(source), _version(source)
    if turn:
        tile = Shape(tile.columns, tile.rows, tile.columns, tile.rows)
        at = (at[1], at[0])
    of = emission.tiles.view(base, tile, name=TURNED if turn else _named(emission, base, tile))
    sizes = (part.rows, part.columns, tile.rows, tile.columns)
    emission.call(
        f"tl::ascend_pto::{name}<{kind}, {', '.join(map(str, sizes))}{', true' if turn else ''}>",
        to,
        of,
        *map(emission.values.index, at),
    )


def _named(emission: Pto, region: Region, shape: Shape, memory: Memory = Memory.L1) -> str:
    """The name of the tile type where a tile must be made, empty where the declared one is meant."""
    declared = emission.tiles.shapes.get(region.buffer.uid) == shape
    start = all(isinstance(at, int) and at == 0 for at in region.starts)
    return "" if declared and start and region.buffer.alias_of is None else NAMES[memory]


def _corner(region: Region) -> tuple[Scalar, Scalar]:
    """Row and column of a region in its tile."""
    return (region.starts[-2] if len(region.starts) > 1 else 0), region.starts[-1]


def _version(region: Region) -> Region:
    """The whole tile that a region is a part of: of a buffer with versions, its own."""
    rank = min(2, len(region.starts))
    starts = (*region.starts[:-rank], *(0 for _ in range(rank)))
    return Region(region.buffer, starts, region.buffer.shape, "slice", region.span)


def l0c_to_gm(emission: Pto, call: Call, source: Region, target: Region) -> None:
    write_l0c(emission, call, source, target, call.form.name, call.flag("enable_relu"))


def write_l0c(
    emission: Pto, call: Call, source: Region, target: Region, name: str, relu: bool
) -> None:
    """Out of L0C through Fixpipe, which converts float to 16-bit floats on the way."""
    fixpipe(source, target)
    exists, moved = inside(target)
    tile = whole_tile(emission, source)
    columns = _part(emission, source, tile).columns
    types = f"{emission.type(target.buffer)}, {emission.type(source.buffer)}"
    with emission.guarded(exists):
        emission.call(
            f"tl::ascend_pto::{name}_dynamic<{types}, "
            f"{transfers.types(tile.rows, columns, moved.stride)}, {tile.rows}, {columns}, "
            f"{'true' if relu else 'false'}>",
            emission.pointer(target),
            *transfers.values(emission, tile.rows, columns, moved.stride),
            emission.values.index(emission.tiles.address(source)),
            "0",
            *map(emission.values.index, (moved.valid_rows, moved.valid_columns)),
        )
