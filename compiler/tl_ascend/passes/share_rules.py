"""Which operations keep to their rows: on half of the rows they give half of what they give on all."""

from __future__ import annotations

from collections.abc import Callable

from tl_ascend.ir.affine import same
from tl_ascend.ir.effects import argument
from tl_ascend.ir.nodes import Kernel, Region, TileOp, regions_of
from tl_ascend.ir.storage import region_elements
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.share_access import Divided, is_copy, is_full
from tl_ascend.target.hardware import Memory

_MASKS = {("tile.compare", "dst"), ("tile.select", "selMask")}  # one bit for each element


def keeps_to_rows(op: TileOp, divided: Divided, kernel: Kernel) -> bool:
    """True where an operation on all rows of divided tiles can be done by halves."""
    row = TABLE.get(op.op)
    if row is None:
        return False
    if is_copy(op):
        return _copy(op, divided, kernel)
    if row.family == "debug":
        return True
    tiles = [region for region in regions_of(op) if kernel.memory(region.buffer) is Memory.UB]
    if row.by_element or "same_size" in row.checks:
        return all(map(divided.has, (t.buffer for t in tiles))) and _by_element(op, row)
    rule = _RULES.get(row.family if row.family == "reduce" else row.name)
    return rule is not None and rule(op, row, divided)


def _by_element(op: TileOp, row: Op) -> bool:
    sizes = set()
    tiles = [
        (p.name, a) for p, a in zip(row.params, op.args, strict=False) if isinstance(a, Region)
    ]
    for name, tile in tiles:
        elements = region_elements(tile)
        if elements is None or not tile.extents:
            return False
        sizes.add(elements * (8 if (row.name, name) in _MASKS else 1))
    count = argument(op, row, "count")
    alike = len(sizes) == 1 and (count is None or same(count, next(iter(sizes))) is True)
    return alike and _one_partition([tile for _, tile in tiles])


def _one_partition(tiles: list[Region]) -> bool:
    """Half of the rows is half of the elements, in order: rows of one count, or tiles as a whole."""
    if len({tile.extents[0] for tile in tiles}) == 1:
        return True
    return all(tile.extents == tile.buffer.shape for tile in tiles)


def _reduce(op: TileOp, row: Op, divided: Divided) -> bool:
    source, out = op.args[0], op.args[1]
    axis, shape = argument(op, row, "dim"), argument(op, row, "real_shape")
    if not (isinstance(source, Region) and isinstance(out, Region) and isinstance(axis, int)):
        return False
    rank, rows = source.buffer.rank, source.buffer.shape[0]
    if rank < 2 or axis % rank == 0 or out.buffer.shape[0] != rows:
        return False
    if isinstance(shape, tuple) and shape and (len(shape) < 2 or same(shape[0], rows) is not True):
        return False
    return divided.has(source.buffer) and divided.has(out.buffer)


def _broadcast(op: TileOp, row: Op, divided: Divided) -> bool:
    target, source = op.args[0], op.args[1]
    if not (isinstance(target, Region) and isinstance(source, Region)):
        return False
    if not divided.has(target.buffer) or target.buffer.rank != source.buffer.rank:
        return False
    if divided.has(source.buffer):
        return target.buffer.rank > 1 and source.extents[0] == target.extents[0]
    return target.buffer.rank > 1 and same(source.extents[0], 1) is True


def _copy(op: TileOp, divided: Divided, kernel: Kernel) -> bool:
    one, other = op.args[0], op.args[1]
    if not (isinstance(one, Region) and isinstance(other, Region)):
        return False
    row = TABLE[op.op]
    if argument(op, row, "transpose") not in (None, False):
        return False
    if kernel.memory(one.buffer) is kernel.memory(other.buffer):
        both = divided.has(one.buffer) and divided.has(other.buffer)
        return both and is_full(one) and is_full(other) and _by_element(op, row)
    return _moves(other, one) if divided.has(one.buffer) else _moves(one, other)


def _moves(other: Region, tile: Region) -> bool:
    """The other side has as many rows, in the dimension that stands for the first of the tile."""
    at = other.buffer.rank - tile.buffer.rank
    if at < 0 or len(other.starts) != other.buffer.rank:
        return False
    if other.form == "start":
        return tile.form != "start"
    before = all(same(extent, 1) is True for extent in other.extents[:at])
    return before and same(other.extents[at], tile.buffer.shape[0]) is True


_RULES: dict[str, Callable[[TileOp, Op, Divided], bool]] = {
    "reduce": _reduce,
    "tile.broadcast": _broadcast,
}
