"""What a transfer between GM and a tile moves, and how its two sides fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.common.views import Rows, product, rows_of
from tl_ascend.ir.addresses import BLOCK_BITS
from tl_ascend.ir.affine import interval, same
from tl_ascend.ir.constants import number_of
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary, compare, logic, select
from tl_ascend.ir.geometry import Transfer, active, is_one, transfer
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.text import show_region
from tl_ascend.target.conversions import OUT_OF_L0C

if TYPE_CHECKING:
    from tl_ascend.backends.common.emission import Emission


def one_type(emission: Emission, source: Region, target: Region) -> str:
    """The common element type of a transfer that does not convert. Errors: Refusal."""
    a, b = source.buffer.dtype, target.buffer.dtype
    if emission.type(source.buffer) == emission.type(target.buffer):
        return emission.type(source.buffer)
    raise Refusal(
        "dtype-unsupported",
        source.span,
        f"{source.buffer.name} holds {a} and {target.buffer.name} {b}: this transfer does not "
        "convert",
        "Only copies within the UB and out of L0C convert.",
    )


def certain(extent: Scalar) -> bool:
    """True where a valid extent is never 0."""
    low = interval(extent)[0]
    return low is not None and low > 0


def full(valid: Scalar, extent: Scalar) -> bool:
    return same(valid, extent) is True


def inside(tensor: Region) -> tuple[Scalar, Transfer]:
    """The condition that anything of a tile lies inside the tensor, and what is moved then."""
    moved, axes = transfer(tensor), active(tensor.extents)
    checks: list[Scalar] = []
    sizes = {"valid_rows": moved.valid_rows, "valid_columns": moved.valid_columns}
    for name, axis in zip(("valid_columns", "valid_rows"), reversed(axes), strict=False):
        exists = _exists(tensor, axis, sizes[name])
        if exists is True:
            continue
        checks.insert(0, exists)
        left = binary("-", tensor.buffer.shape[axis], tensor.starts[axis])
        sizes[name] = binary("min", tensor.extents[axis], left)
    return logic("and", tuple(checks)), replace(moved, **sizes)


def _exists(tensor: Region, axis: int, valid: Scalar) -> Scalar:
    """The condition that something of an extent lies inside the tensor."""
    if certain(valid):
        return True
    if certain(tensor.extents[axis]):
        return compare("<", tensor.starts[axis], tensor.buffer.shape[axis])
    return compare(">", valid, 0)


@dataclass(frozen=True, slots=True)
class Move:
    """What is moved between GM and a tile of `rows` x `columns`. `exists`: the condition that a row
    has any valid element."""

    rows: Scalar
    columns: Scalar
    stride: Scalar
    valid_rows: Scalar
    valid_columns: Scalar
    exists: Scalar = True

    def masks(self, emission: Emission) -> list[str]:
        """Pitch in GM, valid rows, valid columns. Rows without elements are no rows: transfers
        take no empty ones."""
        rows = select(self.exists, self.valid_rows, 0)
        return [*map(emission.values.index, (self.stride, rows, self.valid_columns))]


def fitted(emission: Emission, gm: Region, tile: Region) -> tuple[Move, Rows]:
    """Both sides cut into the same rows. Errors: Refusal."""
    move, rows = _move(gm), rows_of(emission.kernel, tile)
    if rows is None:
        raise Refusal(
            "not-lowered", tile.span, f"{show_region(tile)} has more than two dimensions to walk"
        )
    move, rows = _joined(*_cut_alike(move, rows, gm, tile), tile)
    step = rows.pitch if isinstance(rows.pitch, int) else 0
    if not is_one(rows.rows) and step * tile.buffer.dtype.bits % BLOCK_BITS:
        raise Refusal(
            "not-lowered",
            tile.span,
            f"the rows of {show_region(tile)} are {step} elements of {tile.buffer.dtype} apart; a "
            "transfer of several rows begins each of them at a whole block of 32 bytes",
        )
    return move, rows


def _cut_alike(move: Move, rows: Rows, gm: Region, tile: Region) -> tuple[Move, Rows]:
    """A tile without gaps may be cut as the other side is. A tile may be larger than what is moved:
    the masks say how much that is. Errors: Refusal."""
    if same(move.rows, rows.rows) and same(move.columns, rows.columns):
        return move, rows
    total = product(tile.extents)
    if rows.dense and is_one(move.rows) and not _larger(move.columns, total):
        return move, Rows(1, total, total)
    if rows.dense and same(product(gm.extents), total):
        return move, Rows(move.rows, move.columns, move.columns)
    if _larger(move.rows, rows.rows) or _larger(move.columns, rows.columns):
        raise Refusal(
            "copy-shape", tile.span, f"{show_region(gm)} does not fit {show_region(tile)}"
        )
    return move, rows


def _larger(extent: Scalar, room: Scalar) -> bool:
    """True where an extent is certainly larger."""
    low = interval(binary("-", extent, room))[0]
    return low is not None and low > 0


def _move(gm: Region) -> Move:
    moved = transfer(gm)
    exists = _exists(gm, len(gm.extents) - 1, moved.valid_columns)
    sizes = (moved.rows, moved.columns, moved.stride, moved.valid_rows, moved.valid_columns)
    return Move(*sizes, exists)


def _joined(move: Move, rows: Rows, tile: Region) -> tuple[Move, Rows]:
    """Rows that are no whole blocks, and follow each other without gaps on both sides, are one row:
    a transfer of several rows would begin each of them at a block of 32 bytes."""
    dense = rows.dense and same(move.stride, move.columns) is True
    if is_one(rows.rows) or not dense or not full(move.valid_columns, move.columns):
        return move, rows
    width = move.columns
    if not isinstance(width, int) or width * tile.buffer.dtype.bits % BLOCK_BITS == 0:
        return move, rows
    count, valid = binary("*", move.rows, width), binary("*", move.valid_rows, width)
    exists = True if certain(valid) else compare(">", valid, 0)
    return Move(1, count, count, 1, valid, exists), Rows(1, count, count)


def fixpipe(source: Region, target: Region) -> None:
    """Refuse conversions on the way out of L0C that the hardware does not make. Errors: Refusal."""
    a, b = source.buffer.dtype, target.buffer.dtype
    if (a.name, b.name) not in OUT_OF_L0C:
        raise Refusal(
            "dtype-unsupported",
            source.span,
            f"no way from {a} in L0C to {b} in GM: float32 may become float16 or bfloat16, int32 "
            "stays int32",
        )


def refuse_options(call: Call) -> None:
    """Options that a path would silently ignore. Errors: Refusal."""
    name = call.form.name
    if call.flag("transpose") and name not in ("copy_l1_to_l0a", "copy_l1_to_l0b"):
        text = "transpose=True: only the moves from L1 to L0A and L0B can transpose"
        raise Refusal("not-lowered", call.span("transpose"), text)
    if call.flag("enable_relu") and name != "copy_l0c_to_gm":
        text = "enable_relu=True: only the way from L0C to GM applies it"
        raise Refusal("not-lowered", call.span("enable_relu"), text)
    pad = call.arg("pad_value")
    if pad is not None and number_of(pad) != 0 and name == "copy_gm_to_l1":
        text = "pad_value: a tile in L1 can only be filled with 0"
        raise Refusal("not-lowered", call.span("pad_value"), text)


Path: TypeAlias = "Callable[[Any, Call, Region, Region], None]"


def copy_along(emission: Emission, call: Call, paths: Mapping[str, Path]) -> None:
    """Write a copy by the path that lowering chose. `paths`: by device call. Errors: Refusal."""
    source, target = call.region("src"), call.region("dst")
    path = paths.get(call.form.name)
    if path is None:
        ways = f"{emission.memory(source).value} to {emission.memory(target).value}"
        raise Refusal("not-lowered", call.op.span, f"there is no data path from {ways}")
    refuse_options(call)
    check_types(emission, call)
    path(emission, call, source, target)
