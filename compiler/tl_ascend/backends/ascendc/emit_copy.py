"""T.copy and T.tile.atomic_add: one template call for each data path; here those of the vector core.

UB tiles that are cut out of wider ones are filled row by row, since the template takes the width of
the tile for its pitch; so are parts of a size that only the device knows, since what the template
does not move of a tile it fills.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.emit_copy_cube import gm_to_l1, l0c_to_gm, l1_to_l0, write_l0c
from tl_ascend.backends.ascendc.emit_vector import scale_by_one
from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.transfers import copy_along, fitted, full, one_type
from tl_ascend.backends.common.types import check_conversion, check_types
from tl_ascend.backends.common.views import constant, product, rows_of
from tl_ascend.ir.addresses import shape_of
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary, compare, select
from tl_ascend.ir.geometry import is_one
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.text import show_region

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission


@rule("copy")
def copy(emission: Emission, call: Call) -> None:
    copy_along(emission, call, _PATHS)


@rule("atomic_add")
def atomic_add(emission: Emission, call: Call) -> None:
    """The same ways out, adding to what GM holds."""
    source, target = call.region("src"), call.region("dst")
    check_types(emission, call)
    if call.form.name == "atomic_add_ub_to_gm":
        write_ub(emission, source, target, call.form.name)
    else:
        write_l0c(emission, call, source, target, call.form.name, False)


# --- GM and UB -----------------------------------------------------------------------------------


def _gm_to_ub(emission: Emission, call: Call, source: Region, target: Region) -> None:
    kind = one_type(emission, source, target)
    move, tile = fitted(emission, source, target)
    given = call.arg("pad_value")
    pad = emission.values.typed(0 if given is None else given, target.buffer.dtype)
    columns = constant(tile.columns, target, "the number of its columns")
    if tile.dense and isinstance(tile.rows, int):
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
        all_rows = full(move.valid_rows, tile.rows)
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


def _ub_to_gm(emission: Emission, call: Call, source: Region, target: Region) -> None:
    write_ub(emission, source, target, call.form.name)


def write_ub(emission: Emission, source: Region, target: Region, name: str) -> None:
    """Out of the UB; the width in the template is the pitch, the masks say how much is moved."""
    kind = one_type(emission, source, target)
    move, tile = fitted(emission, target, source)
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
    if emission.type(target.buffer) != emission.type(source.buffer):
        check_conversion(emission, source, target)
        scale_by_one(emission, source, target)
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
    "copy_gm_to_l1": gm_to_l1,
    "copy_l1_to_l0a": l1_to_l0,
    "copy_l1_to_l0b": l1_to_l0,
    "copy_l0c_to_gm": l0c_to_gm,
    "copy_gm_to_ub": _gm_to_ub,
    "copy_ub_to_gm": _ub_to_gm,
    "copy_ub_to_ub": _ub_to_ub,
}
