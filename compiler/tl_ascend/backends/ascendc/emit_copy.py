"""T.copy: one template call for each data path.

At the edge of a tensor the templates move only what exists. For the cube's paths they read a tail
of 0 as "no tail", so where a tile may lie outside the tensor altogether the call is guarded; and UB
tiles that are cut out of wider ones are moved row by row, since the template takes the width of the
tile for its pitch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.addresses import block_elements, matrix, shape_of
from tl_ascend.backends.ascendc.constants import number_of
from tl_ascend.backends.ascendc.fractals import consecutive
from tl_ascend.backends.ascendc.rules import Call, Refusal, rule
from tl_ascend.backends.ascendc.types import check_type
from tl_ascend.backends.ascendc.views import Rows, product, rows_of
from tl_ascend.ir.affine import interval, same
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary, compare, logic, select
from tl_ascend.ir.geometry import Transfer, active, is_one, transfer
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import round_up
from tl_ascend.ir.text import show_region

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import Emission


@rule("copy")
def copy(emission: Emission, call: Call) -> None:
    """Write the call of the path that lowering chose."""
    source, target = call.region("src"), call.region("dst")
    path = _PATHS.get(call.form.name)
    if path is None:
        ways = f"{emission.memory(source).value} to {emission.memory(target).value}"
        raise Refusal("not-lowered", call.op.span, f"there is no data path from {ways}")
    _options(emission, call)
    check_type(call, source)
    path(emission, call, source, target)


def _options(emission: Emission, call: Call) -> None:
    """Options that a path would silently ignore."""
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


def constant(value: Scalar, region: Region, what: str) -> int:
    """A size that becomes part of a type. Errors: Refusal."""
    if isinstance(value, int):
        return int(value)
    raise Refusal(
        "dynamic-shape",
        region.span,
        f"{show_region(region)}: {what} must be known when the kernel is compiled",
    )


def _one_type(emission: Emission, source: Region, target: Region) -> str:
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


def _certain(extent: Scalar) -> bool:
    """True where a valid extent is never 0."""
    low = interval(extent)[0]
    return low is not None and low > 0


def _inside(tensor: Region) -> tuple[Scalar, Transfer]:
    """The condition that anything of a tile lies inside the tensor, and what is moved then."""
    moved, axes = transfer(tensor), active(tensor.extents)
    checks: list[Scalar] = []
    sizes = {"valid_rows": moved.valid_rows, "valid_columns": moved.valid_columns}
    for name, axis in zip(("valid_columns", "valid_rows"), reversed(axes), strict=False):
        if _certain(sizes[name]):
            continue
        shape, start = tensor.buffer.shape[axis], tensor.starts[axis]
        checks.insert(0, compare("<", start, shape))
        sizes[name] = binary("min", tensor.extents[axis], binary("-", shape, start))
    return logic("and", tuple(checks)), replace(moved, **sizes)


# --- GM and L1 -----------------------------------------------------------------------------------


def _gm_to_l1(emission: Emission, call: Call, source: Region, target: Region) -> None:
    kind = _one_type(emission, source, target)
    inside, moved = _inside(source)
    rows, columns = (
        constant(size, target, "its size")
        for size in matrix(shape_of(emission.kernel, target.buffer))
    )
    whole = _covers(target, rows, columns)
    partial = not (
        _full(moved.valid_rows, moved.rows) and _full(moved.valid_columns, moved.columns)
    )
    # The clear zeroes a whole tile from the destination on: a part of a tile that nothing is
    # missing from must not clear what was moved beside it before.
    clear = whole or (partial and _starts_tile(target))
    arguments = [
        emission.pointer(target),
        emission.pointer(source),
        *map(emission.values.index, (moved.stride, moved.valid_rows, moved.valid_columns)),
        "true" if clear else "false",
    ]
    function = f"tl::ascend::copy_gm_to_l1<{kind}, {rows}, {columns}>"
    with emission.guarded(inside):
        emission.call(function, *arguments)
    if clear and inside is not True:
        with emission.out.otherwise():
            _clear_l1(emission, target, rows, columns)


def _covers(target: Region, rows: int, columns: int) -> bool:
    high, wide = matrix(target.extents)
    return same(high, rows) is True and same(wide, columns) is True


def _starts_tile(target: Region) -> bool:
    return all(not isinstance(start, float) and start == 0 for start in target.starts[-2:])


def _full(valid: Scalar, extent: Scalar) -> bool:
    return same(valid, extent) is True


def _clear_l1(emission: Emission, target: Region, rows: int, columns: int) -> None:
    """A tile outside the tensor is all zeros, like the missing part of any other."""
    bits = target.buffer.dtype.bits
    size = round_up(rows, 16) * round_up(columns, block_elements(target.buffer.dtype))
    params = f"AscendC::InitConstValueParams<uint32_t>(1, {size * bits // 256}, 0, 0)"
    tile = emission.pointer(target)
    emission.call("AscendC::InitConstValue", f"{tile}.ReinterpretCast<uint32_t>()", params)
    emission.call("AscendC::PipeBarrier<PIPE_MTE2>")


def _l1_to_l0(emission: Emission, call: Call, source: Region, target: Region) -> None:
    kind = _one_type(emission, source, target)
    rows, columns = (
        constant(size, source, "its size")
        for size in matrix(shape_of(emission.kernel, source.buffer))
    )
    high, wide = matrix(target.extents)
    if not consecutive(emission.kernel, target):
        raise Refusal(
            "not-lowered",
            target.span,
            f"{show_region(target)} is not a run of whole fractals, and the move to "
            f"{emission.memory(target).value} fills one",
        )
    turn = "true" if call.flag("transpose") else "false"
    emission.call(
        f"tl::ascend::{call.form.name}<{kind}, {rows}, {columns}, {turn}>",
        emission.pointer(target),
        emission.pointer(source),
        emission.values.index(high),
        emission.values.index(wide),
    )


def _l0c_to_gm(emission: Emission, call: Call, source: Region, target: Region) -> None:
    _write_l0c(emission, call, source, target, call.form.name, call.flag("enable_relu"))


def _write_l0c(
    emission: Emission, call: Call, source: Region, target: Region, name: str, relu: bool
) -> None:
    """Out of L0C through Fixpipe, which converts float to 16-bit floats on the way."""
    a, b = source.buffer.dtype, target.buffer.dtype
    if (a.name, b.name) not in _FIXPIPE:
        raise Refusal(
            "dtype-unsupported",
            source.span,
            f"no way from {a} in L0C to {b} in GM: float32 may become float16 or bfloat16, int32 "
            "stays int32",
        )
    inside, moved = _inside(target)
    rows, columns = (
        constant(size, source, "its size")
        for size in matrix(shape_of(emission.kernel, source.buffer))
    )
    types = f"{emission.type(source.buffer)}, {emission.type(target.buffer)}"
    with emission.guarded(inside):
        emission.call(
            f"tl::ascend::{name}<{types}, layout::RowMajor, {rows}, {columns}, {_word(relu)}>",
            emission.pointer(target),
            emission.pointer(source),
            *map(emission.values.index, (moved.stride, moved.valid_rows, moved.valid_columns)),
        )


_FIXPIPE = {
    ("float32", "float32"),
    ("float32", "float16"),
    ("float32", "bfloat16"),
    ("int32", "int32"),
}


def _word(value: bool) -> str:
    return "true" if value else "false"


# --- GM and UB -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Move:
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


def _gm_to_ub(emission: Emission, call: Call, source: Region, target: Region) -> None:
    kind = _one_type(emission, source, target)
    move, tile = _fitted(emission, source, target)
    given = call.arg("pad_value")
    pad = emission.values.typed(0 if given is None else given, target.buffer.dtype)
    columns = constant(tile.columns, target, "the number of its columns")
    if tile.dense:
        rows = constant(tile.rows, target, "the number of its rows")
        emission.call(
            f"tl::ascend::copy_gm_to_ub<{kind}, {columns}{_rows_argument(target, rows)}>",
            emission.pointer(target),
            emission.pointer(source),
            *move.masks(emission),
            pad,
        )
        return
    with emission.loop("row", tile.rows) as row:
        all_rows = _full(move.valid_rows, tile.rows)
        valid = 1 if all_rows else select(compare("<", row, move.valid_rows), 1, 0)
        one = replace(move, rows=1, valid_rows=valid)
        emission.call(
            f"tl::ascend::copy_gm_to_ub<{kind}, {columns}>",
            emission.pointer(target, binary("*", row, tile.pitch)),
            emission.pointer(source, binary("*", row, move.stride)),
            *one.masks(emission),
            pad,
        )


def _rows_argument(tile: Region, rows: int) -> str:
    """Vectors have no row count in the call."""
    return f", {rows}" if len(tile.extents) > 1 or rows != 1 else ""


def _fitted(emission: Emission, gm: Region, tile: Region) -> tuple[_Move, Rows]:
    """Both sides cut into the same rows. Errors: Refusal."""
    move, rows = _move(gm), rows_of(emission.kernel, tile)
    if rows is None:
        raise Refusal(
            "not-lowered", tile.span, f"{show_region(tile)} has more than two dimensions to walk"
        )
    if same(move.rows, rows.rows) and same(move.columns, rows.columns):
        return _joined(move, rows)
    if rows.dense and same(product(gm.extents), product(tile.extents)):
        # A tile without gaps may be cut as the other side is.
        return _joined(move, Rows(move.rows, move.columns, move.columns))
    raise Refusal(
        "copy-shape",
        tile.span,
        f"{show_region(gm)} and {show_region(tile)} do not have the same rows",
    )


def _move(gm: Region) -> _Move:
    moved, column = transfer(gm), len(gm.extents) - 1
    starts, shape = gm.starts[column], gm.buffer.shape[column]
    exists = True if _certain(moved.valid_columns) else compare("<", starts, shape)
    sizes = (moved.rows, moved.columns, moved.stride, moved.valid_rows, moved.valid_columns)
    return _Move(*sizes, exists)


def _joined(move: _Move, rows: Rows) -> tuple[_Move, Rows]:
    """Single elements that follow each other without gaps on both sides are one row: as rows they
    would each begin a block of 32 bytes."""
    dense = rows.dense and same(move.stride, move.columns) is True
    if is_one(rows.rows) or not (dense and is_one(move.columns)):
        return move, rows
    if not _full(move.valid_columns, 1):
        return move, rows
    valid = move.valid_rows
    exists = True if _certain(valid) else compare(">", valid, 0)
    return _Move(1, move.rows, move.rows, 1, valid, exists), Rows(1, move.rows, move.rows)


def _ub_to_gm(emission: Emission, call: Call, source: Region, target: Region) -> None:
    write_ub(emission, source, target, call.form.name)


def write_ub(emission: Emission, source: Region, target: Region, name: str) -> None:
    """Out of the UB; the width in the template is the pitch, the masks say how much is moved."""
    kind = _one_type(emission, source, target)
    move, tile = _fitted(emission, target, source)
    width = tile.columns if is_one(tile.rows) else tile.pitch
    if not isinstance(width, int):
        width = shape_of(emission.kernel, source.buffer)[-1]
    pitch = constant(width, source, "its width")
    high: Scalar = tile.rows if isinstance(tile.rows, int) else 1
    rows = _rows_argument(source, constant(high, source, "the number of its rows"))
    emission.call(
        f"tl::ascend::{name}<{kind}, {pitch}{rows}>",
        emission.pointer(target),
        emission.pointer(source),
        *move.masks(emission),
    )


# --- within the UB -------------------------------------------------------------------------------


def _ub_to_ub(emission: Emission, call: Call, source: Region, target: Region) -> None:
    kinds = f"{emission.type(target.buffer)}, {emission.type(source.buffer)}"
    length = constant(product(target.extents), target, "its size")
    sides = []
    for tile in (source, target):
        rows = rows_of(emission.kernel, tile)
        if rows is None:
            text = f"{show_region(tile)} has more than two dimensions to walk"
            raise Refusal("not-lowered", tile.span, text)
        sides += [rows.rows, rows.columns, rows.pitch]
    emission.call(
        f"tl::ascend::copy_ub_to_ub<{kinds}, {length}>",
        emission.pointer(target),
        emission.pointer(source),
        *map(emission.values.index, sides),
    )


_PATHS = {
    "copy_gm_to_l1": _gm_to_l1,
    "copy_l1_to_l0a": _l1_to_l0,
    "copy_l1_to_l0b": _l1_to_l0,
    "copy_l0c_to_gm": _l0c_to_gm,
    "copy_gm_to_ub": _gm_to_ub,
    "copy_ub_to_gm": _ub_to_gm,
    "copy_ub_to_ub": _ub_to_ub,
}
