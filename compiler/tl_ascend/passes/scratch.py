"""Hidden scratch: which calls need a tile beyond their operands, of which type and size.

Sizes are the larger of upstream's and of what the device call needs (`spec/a2a3.md` 3.1 and
`INTERFACE.md`): a kernel that fits here fits there. All calls of one type share one tile, as large as
the largest need: they run on one queue, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    Kernel,
    Placement,
    Region,
    TileOp,
    blocks_of,
    with_blocks,
)
from tl_ascend.ir.storage import bits_to_bytes, region_elements, round_up
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE
from tl_ascend.target.dtypes import FLOAT32, UINT8, DType
from tl_ascend.target.hardware import Memory

NAME = "tmp_ub"
BLOCK = 32
REPEAT = 256
PLACES = 2048  # that are collected at a time
LEAST = 256  # bytes that the functions of the vector library ask for at least
GROUP = 32  # elements that one sort takes


@dataclass(frozen=True, slots=True)
class Need:
    """A tile that a call needs; no elements where it needs none or the size is symbolic."""

    dtype: DType = UINT8
    elements: int = 0


def need_of(op: TileOp, route: str = "ascendc") -> Need:
    """The scratch of a lowered call on a route."""
    row = TABLE.get(op.op)
    if row is None or not row.scratch or not op.form:
        return Need()
    rule = PTO.get(row.scratch) if route == "pto" else RULES.get(row.scratch)
    return rule(op, row) if rule is not None else Need()


def scratch_bytes(op: TileOp, route: str = "ascendc") -> int:
    """The same in bytes."""
    need = need_of(op, route)
    return bits_to_bytes(need.elements, need.dtype.bits)


# --- rules ---------------------------------------------------------------------------------------


def _tile(op: TileOp, row: Op, writes: bool) -> Region | None:
    """The first tile that is written, or the first that is read and has the type that decides."""
    for arg, param in zip(op.args, row.params, strict=False):
        chosen = param.role.writes if writes else param.role.reads and not param.dtypes
        if isinstance(arg, Region) and chosen:
            return arg
    return None


def _source(op: TileOp, row: Op) -> Region | None:
    return _tile(op, row, writes=False)


def _bytes(tile: Region | None) -> int:
    count = None if tile is None else region_elements(tile)
    return 0 if tile is None or not count else bits_to_bytes(count, tile.buffer.dtype.bits)


def _at_least(size: int, least: int) -> Need:
    return Need(UINT8, max(size, least) if size else 0)


def _of_source(op: TileOp, row: Op) -> Need:
    return _at_least(_bytes(_source(op, row)), LEAST)


def _of_target(op: TileOp, row: Op) -> Need:
    return _at_least(_bytes(_tile(op, row, writes=True)), LEAST)


def _of_merge(op: TileOp, row: Op) -> Need:
    return Need(UINT8, _bytes(_tile(op, row, writes=True)))


def _of_reduce(op: TileOp, row: Op) -> Need:
    """Rows of whole blocks."""
    tile = _source(op, row)
    if tile is None or not tile.extents or not _bytes(tile):
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
        tile = _source(op, row)
        least = 0 if tile is None else _TWICE[rule].get(tile.buffer.dtype.name, 0)
        return _at_least(2 * _bytes(tile), least)

    return size


def _of_broadcast(op: TileOp, row: Op) -> Need:
    """A quarter of the target; a column needs a block for each row, and more where rows do not
    consist of whole blocks."""
    target, source = op.args[row.index("dst")], op.args[row.index("src")]
    if not isinstance(target, Region) or not isinstance(source, Region) or not _bytes(target):
        return Need()
    quarter = -(-_bytes(target) // 4)
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
    tile = _source(op, row)
    return _groups(op, row, 8 if tile is not None and tile.buffer.dtype.bits == 16 else 4)


def _groups(op: TileOp, row: Op, times: int) -> Need:
    tile = _source(op, row)
    count = None if tile is None else region_elements(tile)
    if tile is None or not count:
        return Need()
    return Need(tile.buffer.dtype, times * round_up(count, GROUP))


def _of_bilinear(op: TileOp, row: Op) -> Need:
    down, across = op.args[row.index("v_repeat")], op.args[row.index("h_repeat")]
    tile = _bytes(_source(op, row))
    if not tile or not isinstance(down, int) or not isinstance(across, int):
        return Need()
    return Need(UINT8, max(tile, down * across * 512))


def _of_blocks(op: TileOp, row: Op) -> Need:
    """A block for each row, unless the author gives a tile for them."""
    if isinstance(op.args[row.index("tmp")], Region):
        return Need()
    tile = _source(op, row)
    if tile is None or not _bytes(tile):
        return Need()
    rows = (region_elements(tile) or 0) // int(tile.extents[-1])
    return Need(UINT8, round_up(rows, 8) * BLOCK)


def _of_typed_blocks(op: TileOp, row: Op) -> Need:
    """The same of the elements' type, which the calls ask for."""
    tile, need = _source(op, row), _of_blocks(op, row)
    return Need(tile.buffer.dtype, need.elements // tile.buffer.dtype.bytes) if tile else need


RULES: Mapping[str, Callable[[TileOp, Op], Need]] = MappingProxyType(
    {
        "source": _of_source,
        "repeat_sums": _of_source,
        "target": _of_target,
        "reduce": _of_reduce,
        "wave": _twice("wave"),
        "power": _twice("power"),
        "broadcast": _of_broadcast,
        "sort": _of_sort,
        "topk": _of_topk,
        "merge": _of_merge,
        "bilinear": _of_bilinear,
        "blocks": _of_typed_blocks,
    }
)


# --- route pto -------------------------------------------------------------------------------------


def _of_pto_reduce(op: TileOp, row: Op) -> Need:
    """What is not to be cleared is combined with a result of its own, which lies behind the rest."""
    plain = _of_reduce(op, row)
    out = op.args[row.index("out")]
    if not plain.elements or op.args[row.index("clear")] is True or not isinstance(out, Region):
        return plain
    return Need(UINT8, plain.elements + round_up(_bytes(out), BLOCK))


def _of_block(op: TileOp, row: Op) -> Need:
    return Need(UINT8, BLOCK)


def _of_copy(op: TileOp, row: Op) -> Need:
    return Need(UINT8, round_up(_bytes(_source(op, row)), BLOCK))


def _of_float_copy(op: TileOp, row: Op) -> Need:
    """Halves are rounded as floats."""
    tile = _source(op, row)
    wide = tile is not None and tile.buffer.dtype.bits == 16
    return Need(UINT8, 2 * round_up(_bytes(tile), BLOCK) if wide else 0)


def _of_pto_sort(op: TileOp, row: Op) -> Need:
    """Three times pairs of floats, whatever is sorted."""
    tile = _source(op, row)
    count = None if tile is None else region_elements(tile)
    return Need(FLOAT32, 6 * round_up(count, GROUP) if count else 0)


def _of_squares(op: TileOp, row: Op) -> Need:
    """Rows of the target, in whole squares of 16, of bytes 32."""
    tile = _source(op, row)
    if tile is None or not _bytes(tile):
        return Need()
    columns, count = int(tile.extents[-1]), region_elements(tile) or 0
    wide = round_up(count // columns, 32 if tile.buffer.dtype.bits == 8 else 16)
    return Need(UINT8, bits_to_bytes(columns * wide, tile.buffer.dtype.bits))


def _of_places(op: TileOp, row: Op) -> Need:
    """Offsets or indices as the instruction wants them: of many, so many at a time."""
    at = row.index("src_offset" if row.name == "tile.gather" else "src1Pattern")
    places = op.args[at]
    size = _bytes(places) if isinstance(places, Region) else 0
    return Need(UINT8, round_up(min(size, 4 * PLACES), BLOCK))


def _of_wave(op: TileOp, row: Op) -> Need:
    """Two rows of floats; of halves a third one, which holds them as floats."""
    tile = _source(op, row)
    size = round_up(_bytes(tile), BLOCK)
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
    tile, step = _source(op, row), op.args[row.index("srcRepStride")]
    if not _bytes(tile) or not isinstance(step, int):
        return Need()
    rows = max(1, _bytes(tile) // (step * BLOCK))
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
        "merge": _of_merge,
        "sort": _of_pto_sort,
        "topk": _of_pto_sort,
        "select": _of_block,
        "copy": _of_copy,
        "squares": _of_squares,
        "places": _of_places,
        "blocks": _of_blocks,
    }
)


# --- tiles ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Largest:
    """The call that needs the most scratch of one type, and how much."""

    elements: int
    op: TileOp


def attach_scratch(kernel: Kernel) -> Kernel:
    """The kernel with a tile for each type of scratch, and every call with its part of one. Bytes
    are called tmp_ub, other types tmp_ub_1 and so on, as upstream calls them."""
    needs: dict[DType, _Largest] = {}
    route = kernel.options.route
    _find(kernel.body, needs, route)
    tiles: dict[DType, Buffer] = {}
    placed: dict[int, Placement] = {}
    for kind, largest in needs.items():
        typed = sum(other != UINT8 for other in tiles) + 1
        name = NAME if kind == UINT8 else f"{NAME}_{typed}"
        uid, span = kernel.next_uid + len(tiles), largest.op.span
        tile = tiles[kind] = Buffer(name, uid, (largest.elements,), kind, "UB", span)
        reason = f"scratch of {largest.op.form}"
        placed[uid] = Placement(Memory.UB, tile.shape, scope_reason=reason, scope_cause=span)
    if not tiles:
        return kernel
    kernel = replace(
        kernel,
        body=_attached(kernel.body, tiles, route),
        scratch=(*kernel.scratch, *tiles.values()),
        next_uid=kernel.next_uid + len(tiles),
    )
    return kernel.with_placements(placed)


def _find(block: Block, needs: dict[DType, _Largest], route: str) -> None:
    for stmt in block:
        need = need_of(stmt, route) if isinstance(stmt, TileOp) else Need()
        known = needs.get(need.dtype)
        if isinstance(stmt, TileOp) and need.elements > (known.elements if known else 0):
            needs[need.dtype] = _Largest(need.elements, stmt)
        for inner in blocks_of(stmt):
            _find(inner, needs, route)


def _attached(block: Block, tiles: dict[DType, Buffer], route: str) -> Block:
    changed = []
    for stmt in block:
        if isinstance(stmt, TileOp) and not stmt.extra:
            need = need_of(stmt, route)
            if need.elements:
                used = Region(tiles[need.dtype], (0,), (need.elements,), "slice", stmt.span)
                stmt = replace(stmt, extra=(used,))
        inner = tuple(_attached(nested, tiles, route) for nested in blocks_of(stmt))
        changed.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(changed)
