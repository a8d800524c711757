"""T.copy and T.tile.atomic_add.

What a transfer does at the edge of a tensor, and which parts of a tile it fills, is that of the
templates (INTERFACE.md): GM holds only what exists; a tile in the UB is padded, one in L1 cleared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tl_ascend.ir.geometry import CopyFault, active, resolve_copy
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import BLOCK
from tl_ascend.simulate.call import Call, as_rows
from tl_ascend.simulate.elements import Array, converted
from tl_ascend.simulate.errors import OutOfBounds, UnsupportedOperation
from tl_ascend.simulate.memory import Box, Tile, gather, scatter
from tl_ascend.simulate.registry import semantic
from tl_ascend.simulate.rows.conversions import by_unit
from tl_ascend.target.conversions import pair_of
from tl_ascend.target.hardware import Memory

_M = Memory
Path = tuple[Memory, Memory]


@semantic("copy")
def copy(call: Call) -> None:
    """Move a tile along the path between two memories."""
    source, target = _sides(call, call.arg("transpose") is True)
    path = _path(call, source, target)
    move = _PATHS.get(path)
    if move is None:
        ways = f"{path[0].value} to {path[1].value}"
        raise UnsupportedOperation(f"there is no data path from {ways}")
    move(call, *(call.machine.box(call.core, side) for side in (source, target)))


@semantic("tile.atomic_add")
def atomic_add(call: Call) -> None:
    """Add to what GM holds. Blocks run one after the other, so every sum is exact in its type."""
    source, target = _sides(call, True)
    boxes = [call.machine.box(call.core, side) for side in (source, target)]
    _write_gm(call, boxes[0], boxes[1], add=True)


def _sides(call: Call, loose: bool) -> tuple[Region, Region]:
    """Source and target with their extents. Errors: UnsupportedOperation."""
    source, target = call.arg("src"), call.arg("dst")
    resolved = resolve_copy(source, target, loose)
    if isinstance(resolved, CopyFault):
        raise UnsupportedOperation(f"T.{call.row.name}: {resolved.value}")
    return resolved


def _path(call: Call, source: Region, target: Region) -> Path:
    return call.machine.memory(source.buffer), call.machine.memory(target.buffer)


# --- the side in GM ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Outside:
    """A region of a tensor as rows and columns, and how much of it exists."""

    rows: int
    columns: int
    valid_rows: int
    valid_columns: int
    inside: Box

    @property
    def whole(self) -> bool:
        return (self.rows, self.columns) == (self.valid_rows, self.valid_columns)


def _outside(box: Box) -> _Outside:
    """Errors: OutOfBounds where the region begins before the tensor, or leaves it in a dimension
    that the transfer does not walk."""
    axes = active(box.extents)
    if len(axes) > 2:
        raise UnsupportedOperation(f"{box} has more than two dimensions to walk")
    valid = list(box.extents)
    for axis, (start, extent, size) in enumerate(
        zip(box.starts, box.extents, box.view.shape, strict=True)
    ):
        if start < 0 or (axis not in axes and start + extent > size):
            raise OutOfBounds(f"{box} leaves {box.view.name}{list(box.view.shape)}")
        valid[axis] = max(min(extent, size - start), 0)
    rows, columns = axes[-2] if len(axes) > 1 else None, axes[-1]
    high = 1 if rows is None else box.extents[rows]
    exists = 1 if rows is None else valid[rows]
    empty = 0 in valid
    starts = tuple(0 if empty else start for start in box.starts)
    inside = Box(box.view, starts, tuple(0 if empty else v for v in valid))
    return _Outside(high, box.extents[columns], exists, valid[columns], inside)


def _grid(tile: Tile, rows: int, columns: int) -> Tile:
    return tile.moved(lambda part: part.reshape(rows, columns))


# --- GM and the UB ----------------------------------------------------------------------------------


def _cut(gm: _Outside, tile: Box) -> tuple[int, int]:
    """How the tile is cut into rows for the transfer: as the author wrote it where that fits, else,
    without gaps, as one run or as the other side is."""
    rows, columns = as_rows(tile)
    if (rows, columns) == (gm.rows, gm.columns):
        return rows, columns
    if tile.dense and gm.rows == 1 and gm.columns <= tile.count:
        return 1, tile.count
    if tile.dense and gm.rows * gm.columns == tile.count:
        return gm.rows, gm.columns
    if gm.rows > rows or gm.columns > columns:
        raise UnsupportedOperation(f"{gm.rows} x {gm.columns} elements do not fit {tile}")
    return rows, columns


def _gm_to_ub(call: Call, source: Box, target: Box) -> None:
    """What is not moved of the tile becomes `pad_value`."""
    gm = _outside(source)
    rows, columns = _cut(gm, target)
    kind = target.kind
    moved = _grid(source_of(call, gm, source, target), gm.valid_rows, gm.valid_columns)
    if (gm.valid_rows, gm.valid_columns) == (rows, columns):
        tile = moved
    else:
        pad = call.scalar("pad_value", kind) if call.given("pad_value") else Tile(kind.work.type(0))
        values = np.full((rows, columns), pad.values, kind.work)
        poison = None
        if moved.poison is not None or pad.poison is not None:
            poison = np.full((rows, columns), pad.poison is not None)
            poison[: gm.valid_rows, : gm.valid_columns] = _marks(moved)
        values[: gm.valid_rows, : gm.valid_columns] = moved.values
        tile = Tile(values, poison)
    _put(call, target, tile)
    _spoil_beside(call, target)


def _spoil_beside(call: Call, target: Box) -> None:
    """Transfers write whole blocks: what a row leaves of its last one holds anything then."""
    view = target.view
    if target.dense:
        end = target.offset + target.count
        last = min(end + -target.count % (BLOCK // target.kind.size), view.count)
        where = np.arange(end, last)
    else:
        beside = _beside(target)
        numbers = np.arange(view.count).reshape(view.shape)
        where = numbers[beside.index()].ravel() if beside is not None else numbers[:0].ravel()
    if where.size:
        spoilt = np.ones(where.shape, bool)
        call.machine.note_poison(view.storage, spoilt)
        scatter(view, where, gather(view, where).values, spoilt)


def _beside(target: Box) -> Box | None:
    """What follows each row of a part of a tile, up to the end of its last block."""
    view, width = target.view, target.extents[-1]
    start = target.starts[-1] + width
    rest = min(-width % (BLOCK // target.kind.size), view.shape[-1] - start)
    if rest <= 0:
        return None
    return Box(view, (*target.starts[:-1], start), (*target.extents[:-1], rest))


def source_of(call: Call, gm: _Outside, source: Box, target: Box) -> Tile:
    """What exists of a region of a tensor."""
    if source.kind.dtype != target.kind.dtype:
        text = f"{source.view.name} holds {source.kind.dtype} and {target.view.name}"
        raise UnsupportedOperation(f"{text} {target.kind.dtype}: this transfer does not convert")
    return gm.inside.read().flat()


def _marks(tile: Tile) -> Array:
    if tile.poison is None:
        return np.zeros(tile.values.shape, bool)
    return np.asarray(tile.poison)


def _put(call: Call, target: Box, tile: Tile) -> None:
    call.machine.note_poison(target.view.storage, tile.poison)
    poison = None if tile.poison is None else tile.poison.reshape(target.extents)
    target.write(tile.values.reshape(target.extents), poison)


def _ub_to_gm(call: Call, source: Box, target: Box) -> None:
    if source.kind.dtype != target.kind.dtype:
        text = f"{source.view.name} holds {source.kind.dtype} and {target.view.name}"
        raise UnsupportedOperation(f"{text} {target.kind.dtype}: this transfer does not convert")
    _write_gm(call, source, target)


def _write_gm(call: Call, source: Box, target: Box, add: bool = False) -> None:
    """Only what exists is written; L0C converts and may apply relu on the way."""
    gm = _outside(target)
    rows, columns = _cut(gm, source)
    tile = _grid(source.read().flat(), rows, columns)
    tile = tile.moved(lambda part: part[: gm.valid_rows, : gm.valid_columns])
    values = tile.values
    if call.row.name == "copy" and call.arg("enable_relu") is True:
        values = np.maximum(values, 0)
    if source.kind.dtype != target.kind.dtype:
        values = converted(values, source.kind, target.kind, "CAST_RINT")
    tile = Tile(values, tile.poison)
    if add:
        old = gm.inside.read()
        total = old.values.reshape(values.shape) + values
        marks = [t.poison.reshape(values.shape) for t in (old, tile) if t.poison is not None]
        tile = Tile(total, np.logical_or.reduce(marks) if marks else None)
    _put(call, gm.inside, tile)


# --- the cube core ----------------------------------------------------------------------------------


def _gm_to_l1(call: Call, source: Box, target: Box) -> None:
    """A tile that is filled whole with less than was asked for is cleared before, or by the first copy
    of those that fill its parts; elsewhere only what exists is moved."""
    gm = _outside(source)
    moved = _grid(source_of(call, gm, source, target), gm.valid_rows, gm.valid_columns)
    high, wide = _matrix(target.extents)
    if gm.rows > high or gm.columns > wide:
        raise UnsupportedOperation(f"{gm.rows} x {gm.columns} elements do not fit {target}")
    whole = (high, wide) == _matrix(target.view.shape)
    partial = (gm.valid_rows, gm.valid_columns) != (high, wide)
    if (whole and partial) or call.op.clears:
        lead = len(target.extents) - 2
        extents = (*(1,) * lead, *target.view.shape[max(lead, 0) :])
        cleared = Box(target.view, target.starts, extents)
        cleared.write(np.zeros(extents, target.kind.work))
    inner = (*(1,) * (len(target.extents) - 2), gm.valid_rows, gm.valid_columns)
    part = Box(target.view, target.starts, inner[-len(target.extents) :])
    if gm.inside.count:
        _put(call, part, moved)
        beside = _beside(part)
        if beside is not None:  # whole blocks are written here, too, with 0 behind each row
            beside.write(np.zeros(beside.extents, target.kind.work))


def _matrix(extents: tuple[int, ...]) -> tuple[int, int]:
    if any(extent != 1 for extent in extents[:-2]) and len(extents) > 2:
        return extents[-2], extents[-1]
    return (extents[-2] if len(extents) > 1 else 1), extents[-1]


def _l1_to_l0(call: Call, source: Box, target: Box) -> None:
    tile = _grid(source.read().flat(), *_matrix_of(source))
    if call.arg("transpose") is True:
        tile = tile.moved(np.transpose)
    high, wide = _matrix_of(target)
    if tile.values.shape[0] < high or tile.values.shape[1] < wide:
        text = f"{source} has {list(tile.values.shape)} elements to move, and {target} takes"
        raise UnsupportedOperation(f"{text} {[high, wide]}")
    _put(call, target, tile.moved(lambda part: part[:high, :wide]))


def _matrix_of(box: Box) -> tuple[int, int]:
    rows, columns = as_rows(box)
    return rows, columns


# --- within the UB, and between the halves ----------------------------------------------------------


def _ub_to_ub(call: Call, source: Box, target: Box) -> None:
    """Elements in order, whatever the rows of either side; converted where the types differ."""
    if source.count != target.count:
        text = f"{source} has {source.count} elements and {target} {target.count}"
        raise UnsupportedOperation(f"{text}: a copy within the UB moves as many as both have")
    tile, pair = source.read(), pair_of(source.kind.dtype, target.kind.dtype)
    values = tile.values
    if pair[0] != pair[1]:
        values = by_unit(call, values, source.kind, target.kind)
    _put(call, target, Tile(values, tile.poison))


_PATHS: dict[Path, Callable[[Call, Box, Box], Any]] = {
    (_M.GM, _M.UB): _gm_to_ub,
    (_M.UB, _M.GM): _ub_to_gm,
    (_M.UB, _M.UB): _ub_to_ub,
    (_M.GM, _M.L1): _gm_to_l1,
    (_M.L1, _M.L0A): _l1_to_l0,
    (_M.L1, _M.L0B): _l1_to_l0,
    (_M.L0C, _M.GM): _write_gm,
    (_M.L0C, _M.UB): _ub_to_ub,
    (_M.UB, _M.L1): _ub_to_ub,
}
