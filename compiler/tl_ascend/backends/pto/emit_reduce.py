"""Reductions along a row or a column of a tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.axes import reduced_axis, reduced_sizes
from tl_ascend.backends.common.operands import hidden
from tl_ascend.backends.common.rules import Call
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.pto.emit_vector import scratch_row
from tl_ascend.backends.pto.rules import rule
from tl_ascend.backends.pto.tiles import COLUMN, NAMES, Shape, Tiles, row_of
from tl_ascend.ir.addresses import block_elements
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import BLOCK, bits_to_bytes, round_up
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto

_MERGE = {"reduce_sum": "TADD", "reduce_max": "TMAX", "reduce_min": "TMIN"}


@rule("reduce")
def reduce(emission: Pto, call: Call) -> None:
    """Into the result, or into scratch and from there into the result."""
    tile, out = call.region("buffer"), call.region("out")
    check_types(emission, call)
    rows, columns = reduced_sizes(emission, call, tile)
    along_row = reduced_axis(call, tile) == -1
    number = rows if along_row else columns
    source = _source(emission, tile, rows, columns)
    if call.flag("clear"):
        to = _result(emission.tiles, out, number, along_row)
        _reduce(emission, call, to, source, rows, along_row)
        return
    part = _behind(emission, call, out, number)
    to = _made(emission, out, number, along_row, part)
    _reduce(emission, call, to, source, rows, along_row)
    emission.barrier("V")
    result = emission.tiles.row(out, number)
    again = _made(emission, out, number, False, part)
    emission.call(_MERGE[call.form.name], result, result, again)


def _source(emission: Pto, tile: Region, rows: int, columns: int) -> str:
    """The part of the tile that counts."""
    walked = emission.tiles.rows(tile)
    if rows == 1:
        return emission.tiles.view(tile, row_of(columns, tile.buffer.dtype))
    shape = emission.tiles.pitched(tile, walked)
    return emission.tiles.view(tile, Shape(rows, shape.columns, rows, columns))


def _result(tiles: Tiles, out: Region, number: int, column: bool) -> str:
    return tiles.column(out, number) if column else tiles.row(out, number)


def _behind(emission: Pto, call: Call, out: Region, number: int) -> int:
    """Where in the scratch the result of clear=False begins: its last bytes, in bytes."""
    extent = hidden(call).extents[0]
    assert isinstance(extent, int)
    size = round_up(bits_to_bytes(number, out.buffer.dtype.bits), BLOCK)
    return emission.tiles.end(hidden(call), extent - size)


def _made(emission: Pto, out: Region, number: int, column: bool, address: int) -> str:
    """A tile of results at an address of the scratch."""
    high = round_up(number, block_elements(out.buffer.dtype))
    shape = Shape(high, 1, number, 1) if column else Shape(1, high, 1, number)
    name = COLUMN if column else NAMES[Memory.UB]
    kind = emission.type(out.buffer)
    return emission.tiles.made(out.buffer, name, kind, shape, address)


def _reduce(emission: Pto, call: Call, to: str, source: str, rows: int, along_row: bool) -> None:
    kind = call.form.name.removeprefix("reduce_").upper()
    if along_row:
        type = call.region("buffer").buffer.dtype
        wide = _wide(call)
        tmp = emission.tiles.view(hidden(call), Shape(rows, wide, rows, wide), type)
        emission.call(f"TROW{kind}", to, source, tmp)
    elif kind == "SUM":
        tmp = scratch_row(emission, call, call.region("buffer").buffer.dtype, block_of(call))
        emission.call("TCOLSUM", to, source, tmp, "false")
    else:
        emission.call(f"TCOL{kind}", to, source)


def row_scratch(emission: Pto, call: Call, shape: Shape) -> str:
    """What reducing rows of a shape needs: of each row a block, or a repeat where they are longer (PTO,
    TRowReduceOps)."""
    type = call.region("src").buffer.dtype
    block = block_elements(type)
    columns = shape.valid_columns if isinstance(shape.valid_columns, int) else shape.columns
    wide = block if columns <= 8 * block else 8 * block
    return emission.tiles.view(hidden(call), Shape(shape.rows, wide, shape.rows, wide), type)


def block_of(call: Call) -> int:
    return block_elements(call.region("buffer").buffer.dtype)


def _wide(call: Call) -> int:
    """Columns of the scratch: half of the row, at least one repeat of the unit (PTO, TRowReduceOps);
    a block where a repeat holds the row."""
    tile = call.region("buffer")
    repeat, columns = 8 * block_of(call), int(tile.extents[-1])
    return (
        block_of(call) if columns <= repeat else round_up(max(columns // 2, repeat), block_of(call))
    )


@rule("reduce_sum")
def reduce_sum(emission: Pto, call: Call) -> None:
    """Of the first `count` elements, as one row."""
    check_types(emission, call)
    target, source, size = call.region("dst"), call.region("src"), call.arg("count")
    to = emission.tiles.column(target, 1)
    of = emission.tiles.row(source, size)
    type = source.buffer.dtype
    tmp = scratch_row(emission, call, type, 8 * block_elements(type))
    emission.call("TROWSUM", to, of, tmp)
