"""How much hidden scratch a call needs on route pto."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.nodes import Region, TileOp
from tl_ascend.ir.storage import bits_to_bytes, region_elements, root, round_up
from tl_ascend.ops.row import Op
from tl_ascend.passes.scratch_needs import (
    BLOCK,
    GROUP,
    Need,
    bytes_of,
    of_blocks,
    of_rows,
    of_target_alone,
    source_of,
    tile_of,
)
from tl_ascend.target.dtypes import FLOAT32, UINT8

REPEAT = 256
PLACES = 2048  # that are collected at a time


def _of_pto_reduce(op: TileOp, row: Op) -> Need:
    """What is not to be cleared is combined with a result of its own, which lies behind the rest."""
    plain = of_rows(op, row)
    out = op.args[row.index("out")]
    if not plain.elements or op.args[row.index("clear")] is True or not isinstance(out, Region):
        return plain
    return Need(UINT8, plain.elements + round_up(bytes_of(out), BLOCK))


def _of_block(op: TileOp, row: Op) -> Need:
    return Need(UINT8, BLOCK)


def _of_apart(op: TileOp, row: Op) -> Need:
    """A copy of what lies in the tile that is written."""
    source, target = source_of(op, row), tile_of(op, row, writes=True)
    if source is None or target is None or root(source.buffer) is not root(target.buffer):
        return Need()
    return of_rows(op, row)


def _of_divisor(op: TileOp, row: Op) -> Need:
    """A copy of what is divided in place, which the instruction fills with the scalar first. Where its
    size is symbolic, it is at most its buffer."""
    if op.form != row.forms[-1].name:
        return Need()
    parts = [replace(a, extents=_most(a)) if isinstance(a, Region) else a for a in op.args]
    return _of_apart(replace(op, args=tuple(parts)), row)


def _most(tile: Region) -> tuple[Scalar, ...]:
    sizes = zip(tile.extents, tile.buffer.shape, strict=False)
    return tuple(extent if isinstance(extent, int) else whole for extent, whole in sizes)


def _of_copy(op: TileOp, row: Op) -> Need:
    return Need(UINT8, round_up(bytes_of(source_of(op, row)), BLOCK))


def _of_float_copy(op: TileOp, row: Op) -> Need:
    """Halves are rounded as floats."""
    tile = source_of(op, row)
    wide = tile is not None and tile.buffer.dtype.bits == 16
    return Need(UINT8, 2 * round_up(bytes_of(tile), BLOCK) if wide else 0)


def _of_pto_sort(op: TileOp, row: Op) -> Need:
    """Three times pairs of floats, whatever is sorted."""
    tile = source_of(op, row)
    count = None if tile is None else region_elements(tile)
    return Need(FLOAT32, 6 * round_up(count, GROUP) if count else 0)


def _of_squares(op: TileOp, row: Op) -> Need:
    """Rows of the target, in whole squares of 16, of bytes 32."""
    tile = source_of(op, row)
    if tile is None or not bytes_of(tile):
        return Need()
    columns, count = int(tile.extents[-1]), region_elements(tile) or 0
    wide = round_up(count // columns, 32 if tile.buffer.dtype.bits == 8 else 16)
    return Need(UINT8, bits_to_bytes(columns * wide, tile.buffer.dtype.bits))


def _of_places(op: TileOp, row: Op) -> Need:
    """Offsets or indices as the instruction wants them: of many, so many at a time."""
    at = row.index("src_offset" if row.name == "tile.gather" else "src1Pattern")
    places = op.args[at]
    size = bytes_of(places) if isinstance(places, Region) else 0
    return Need(UINT8, round_up(min(size, 4 * PLACES), BLOCK))


def _of_wave(op: TileOp, row: Op) -> Need:
    """Two rows of floats; of halves a third one, which holds them as floats."""
    tile = source_of(op, row)
    size = round_up(bytes_of(tile), BLOCK)
    wide = tile is not None and tile.buffer.dtype.bits == 16
    return Need(UINT8, 6 * size if wide else 2 * size)


def _of_repeats(op: TileOp, row: Op) -> Need:
    """A block for each row that is reduced, and its result; a repeat where results are summed up."""
    values = [op.args[row.index(name)] for name in ("repeattimes", "repeat") if _has(row, name)]
    times = next(iter(values), 0)
    if not isinstance(times, int):
        return Need()
    rows = times if _has(row, "repeattimes") else 8 * times
    return Need(UINT8, rows * BLOCK + round_up(4 * rows, BLOCK))


def _has(row: Op, name: str) -> bool:
    return any(param.name == name for param in row.params)


def _of_repeat_sums(op: TileOp, row: Op) -> Need:
    """The same, where the device alone knows how many there are."""
    tile, step = source_of(op, row), op.args[row.index("srcRepStride")]
    if not bytes_of(tile) or not isinstance(step, int):
        return Need()
    rows = max(1, bytes_of(tile) // (step * BLOCK))
    return Need(UINT8, max(REPEAT, rows * BLOCK) + round_up(4 * rows, BLOCK))


def _of_row_sums(op: TileOp, row: Op) -> Need:
    """A repeat for each row."""
    given = op.args[row.index("sumParams")]
    rows = given[0] if isinstance(given, (tuple, list)) and given else 0
    return Need(UINT8, REPEAT * rows) if isinstance(rows, int) else Need()


def _of_blend(op: TileOp, row: Op) -> Need:
    """The blocks of one iteration, and their sum."""
    return Need(UINT8, 2 * REPEAT)


PTO: Mapping[str, Callable[[TileOp, Op], Need]] = MappingProxyType(
    {
        "source": _of_copy,
        "target": _of_float_copy,
        "reduce": _of_pto_reduce,
        "power": _of_copy,
        "wave": _of_wave,
        "repeats": _of_repeats,
        "repeat_sums": _of_repeat_sums,
        "row_sums": _of_row_sums,
        "bilinear": _of_blend,
        "merge": of_target_alone,
        "sort": _of_pto_sort,
        "topk": _of_pto_sort,
        "select": _of_block,
        "copy": _of_copy,
        "apart": _of_apart,
        "divisor": _of_divisor,
        "squares": _of_squares,
        "places": _of_places,
        "blocks": of_blocks,
    }
)
