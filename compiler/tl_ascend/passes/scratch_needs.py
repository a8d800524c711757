"""How much hidden scratch a call needs: what the rules of all routes share, and those of route ascendc.

Sizes are the larger of upstream's and of what the device call needs (`spec/a2a3.md` 3.1 and
`INTERFACE.md`): a kernel that fits here fits there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tl_ascend.ir.nodes import Region, TileOp
from tl_ascend.ir.storage import bits_to_bytes, region_elements, round_up
from tl_ascend.ops.row import Op
from tl_ascend.target.dtypes import UINT8, DType

BLOCK = 32
LEAST = 256  # bytes that the functions of the vector library ask for at least
GROUP = 32  # elements that one sort takes


@dataclass(frozen=True, slots=True)
class Need:
    """A tile that a call needs; no elements where it needs none or the size is symbolic."""

    dtype: DType = UINT8
    elements: int = 0


def tile_of(op: TileOp, row: Op, writes: bool) -> Region | None:
    """The first tile that is written, or the first that is read and has the type that decides."""
    for arg, param in zip(op.args, row.params, strict=False):
        chosen = param.role.writes if writes else param.role.reads and not param.dtypes
        if isinstance(arg, Region) and chosen:
            return arg
    return None


def source_of(op: TileOp, row: Op) -> Region | None:
    return tile_of(op, row, writes=False)


def bytes_of(tile: Region | None) -> int:
    count = None if tile is None else region_elements(tile)
    return 0 if tile is None or not count else bits_to_bytes(count, tile.buffer.dtype.bits)


def _at_least(size: int, least: int) -> Need:
    return Need(UINT8, max(size, least) if size else 0)


def _of_source(op: TileOp, row: Op) -> Need:
    return _at_least(bytes_of(source_of(op, row)), LEAST)


def _of_target(op: TileOp, row: Op) -> Need:
    return _at_least(bytes_of(tile_of(op, row, writes=True)), LEAST)


def of_target_alone(op: TileOp, row: Op) -> Need:
    return Need(UINT8, bytes_of(tile_of(op, row, writes=True)))


def of_rows(op: TileOp, row: Op) -> Need:
    """Rows of whole blocks."""
    tile = source_of(op, row)
    if tile is None or not tile.extents or not bytes_of(tile):
        return Need()
    width = bits_to_bytes(int(tile.extents[-1]), tile.buffer.dtype.bits)
    rows = (region_elements(tile) or 0) // int(tile.extents[-1])
    return Need(UINT8, rows * round_up(width, BLOCK))


_TWICE = MappingProxyType(
    {
        "wave": {"float32": 768, "float16": 2048},
        "power": {"float32": 1280, "float16": 2048, "int32": 1536},
    }
)


def _twice(rule: str) -> Callable[[TileOp, Op], Need]:
    def size(op: TileOp, row: Op) -> Need:
        tile = source_of(op, row)
        least = 0 if tile is None else _TWICE[rule].get(tile.buffer.dtype.name, 0)
        return _at_least(2 * bytes_of(tile), least)

    return size


def _of_broadcast(op: TileOp, row: Op) -> Need:
    """A quarter of the target; a column needs a block for each row, and more where rows do not
    consist of whole blocks."""
    target, source = op.args[row.index("dst")], op.args[row.index("src")]
    if not isinstance(target, Region) or not isinstance(source, Region) or not bytes_of(target):
        return Need()
    quarter = -(-bytes_of(target) // 4)
    wide = target.extents[-2:]
    if len(wide) < 2 or not _repeats_columns(op, row, source, wide):
        return Need(UINT8, max(quarter, BLOCK))
    rows, columns = map(int, wide)
    width = bits_to_bytes(columns, target.buffer.dtype.bits)
    needed = round_up(rows, 8) * BLOCK
    if width % BLOCK:
        needed += rows * round_up(width, BLOCK)
    if target.buffer.dtype.bits == 8:
        counts = (region_elements(source) or 0, rows * columns)
        needed += 2 * sum(round_up(count, 16) for count in counts)
    return Need(UINT8, max(quarter, needed))


def _repeats_columns(op: TileOp, row: Op, source: Region, wide: tuple[Any, ...]) -> bool:
    axis = op.args[row.index("axis")]
    if axis is not None:
        return bool(axis == 1)
    narrow = source.extents[-2:]
    if len(narrow) == 1:
        return bool(narrow[0] != wide[1])
    along = [bool(narrow[at] == 1 and wide[at] != 1) for at in (0, 1)]
    return along[1] and not along[0]


def _of_sort(op: TileOp, row: Op) -> Need:
    return _groups(op, row, 8)


def _of_topk(op: TileOp, row: Op) -> Need:
    """Halves are sorted as floats."""
    tile = source_of(op, row)
    return _groups(op, row, 8 if tile is not None and tile.buffer.dtype.bits == 16 else 4)


def _groups(op: TileOp, row: Op, times: int) -> Need:
    tile = source_of(op, row)
    count = None if tile is None else region_elements(tile)
    if tile is None or not count:
        return Need()
    return Need(tile.buffer.dtype, times * round_up(count, GROUP))


def _of_bilinear(op: TileOp, row: Op) -> Need:
    """Eight blocks for each step, then a block for each weight of the tile (CANN, its own header)."""
    down, across = op.args[row.index("v_repeat")], op.args[row.index("h_repeat")]
    tile, weights = bytes_of(source_of(op, row)), op.args[row.index("src1")]
    if not tile or not isinstance(down, int) or not isinstance(across, int):
        return Need()
    assert isinstance(weights, Region)
    blocks = 8 * down * across + (region_elements(weights) or 0)
    return Need(UINT8, max(tile, down * across * 512, blocks * BLOCK))


def of_blocks(op: TileOp, row: Op) -> Need:
    """A block for each row, unless the author gives a tile for them."""
    if isinstance(op.args[row.index("tmp")], Region):
        return Need()
    tile = source_of(op, row)
    if tile is None or not bytes_of(tile):
        return Need()
    rows = (region_elements(tile) or 0) // int(tile.extents[-1])
    return Need(UINT8, round_up(rows, 8) * BLOCK)


def _of_typed_blocks(op: TileOp, row: Op) -> Need:
    """The same of the elements' type, which the calls ask for."""
    tile, need = source_of(op, row), of_blocks(op, row)
    return Need(tile.buffer.dtype, need.elements // tile.buffer.dtype.bytes) if tile else need


def _of_divisor(op: TileOp, row: Op) -> Need:
    """A block that holds the scalar."""
    tile = source_of(op, row)
    if tile is None or op.form != row.forms[-1].name:
        return Need()
    return Need(tile.buffer.dtype, BLOCK // tile.buffer.dtype.bytes)


RULES: Mapping[str, Callable[[TileOp, Op], Need]] = MappingProxyType(
    {
        "source": _of_source,
        "divisor": _of_divisor,
        "repeat_sums": _of_source,
        "target": _of_target,
        "reduce": of_rows,
        "wave": _twice("wave"),
        "power": _twice("power"),
        "broadcast": _of_broadcast,
        "sort": _of_sort,
        "topk": _of_topk,
        "merge": of_target_alone,
        "bilinear": _of_bilinear,
        "blocks": _of_typed_blocks,
    }
)
