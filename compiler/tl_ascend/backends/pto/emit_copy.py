"""T.copy and T.tile.atomic_add: one template for each data path; here those of the vector core.

Rows of a tile that is cut out of a wider one are moved by one call: the width of the tile is its pitch.
At the edge of a tensor the template fills the rest of its tile, so such parts are moved row by row.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.transfers import Move, copy_along, fitted, full, one_type
from tl_ascend.backends.common.types import check_conversion, check_types
from tl_ascend.backends.common.views import Rows
from tl_ascend.backends.pto import transfers
from tl_ascend.backends.pto.emit_copy_cube import gm_to_l1, l0c_to_gm, l1_to_l0, write_l0c
from tl_ascend.backends.pto.emit_sync import own_flag
from tl_ascend.backends.pto.emit_vector import rounding
from tl_ascend.backends.pto.rules import rule
from tl_ascend.backends.pto.tiles import Shape
from tl_ascend.ir.addresses import block_elements
from tl_ascend.ir.constants import number_of
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary, compare, logic, select
from tl_ascend.ir.nodes import Region

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto


@rule("copy")
def copy(emission: Pto, call: Call) -> None:
    copy_along(emission, call, _PATHS)


@rule("atomic_add")
def atomic_add(emission: Pto, call: Call) -> None:
    """The same ways out, adding to what GM holds."""
    source, target = call.region("src"), call.region("dst")
    check_types(emission, call)
    if call.form.name == "atomic_add_ub_to_gm":
        _write_ub(emission, source, target, call.form.name)
    else:
        write_l0c(emission, call, source, target, call.form.name, False)


# --- GM and UB -----------------------------------------------------------------------------------


def _gm_to_ub(emission: Pto, call: Call, source: Region, target: Region) -> None:
    one_type(emission, source, target)
    move, tile = fitted(emission, source, target)
    if full(move.valid_rows, tile.rows) and full(move.valid_columns, tile.columns):
        _load(emission, source, target, move, tile, "Null")
        return
    pad = _pad(call, target)
    own_flag(emission, "V", "MTE2")
    own_flag(emission, "MTE3", "MTE2")
    if tile.dense and isinstance(tile.rows, int) and _blocks(tile.columns, target):
        _load(emission, source, target, move, tile, pad)
        return
    with emission.loop("row", tile.rows) as row:
        exists = compare("<", row, move.valid_rows)
        valid = select(logic("and", (exists, move.exists)), move.valid_columns, 0)
        one = Move(1, tile.columns, move.stride, 1, valid)
        _load(emission, source, target, one, Rows(1, tile.columns, tile.columns), pad, row, tile)


def _blocks(columns: Scalar, tile: Region) -> bool:
    return isinstance(columns, int) and columns % block_elements(tile.buffer.dtype) == 0


def _load(
    emission: Pto,
    source: Region,
    target: Region,
    move: Move,
    tile: Rows,
    pad: str,
    row: Scalar = 0,
    of: Rows | None = None,
) -> None:
    """One call; of row `row` of larger rows `of` where these are given."""
    kind, shape = emission.type(target.buffer), _shape(emission, target, tile)
    rows = select(move.exists, move.valid_rows, 0)
    pitch: Scalar = 0 if of is None else of.pitch
    further = binary("*", row, move.stride) if of is not None else 0
    emission.call(
        f"tl::ascend_pto::copy_gm_to_ub_dynamic<{kind}, {kind}, "
        f"{transfers.types(shape.rows, shape.columns, move.stride)}, "
        f"{shape.rows}, {shape.columns}, pto::PadValue::{pad}>",
        emission.pointer(source, further),
        *transfers.values(emission, shape.rows, shape.columns, move.stride),
        emission.values.index(emission.tiles.address(target, binary("*", row, pitch))),
        "0",
        *map(emission.values.index, (rows, move.valid_columns)),
    )


def _shape(emission: Pto, tile: Region, rows: Rows) -> Shape:
    return emission.tiles.pitched(tile, rows)


def _pad(call: Call, target: Region) -> str:
    """What the template fills with, by its name. Errors: Refusal."""
    given = call.arg("pad_value")
    value = 0 if given is None else number_of(given)
    if value is not None and value == 0:
        return "Zero"
    if target.buffer.dtype.kind == "float" and value in (math.inf, -math.inf):
        return "Max" if value > 0 else "Min"
    text = "pad_value: route pto fills with 0, infinity or minus infinity"
    raise Refusal("not-lowered", call.span("pad_value"), text, "Fill the tile before the copy.")


def _ub_to_gm(emission: Pto, call: Call, source: Region, target: Region) -> None:
    _write_ub(emission, source, target, call.form.name)


def _write_ub(emission: Pto, source: Region, target: Region, name: str) -> None:
    """Out of the UB; transfers take no empty rows."""
    kind = one_type(emission, source, target)
    move, tile = fitted(emission, target, source)
    shape = _shape(emission, source, tile)
    exists = logic("and", (move.exists, _some(move.valid_rows)))
    with emission.guarded(exists):
        emission.call(
            f"tl::ascend_pto::{name}_dynamic<{kind}, {kind}, "
            f"{transfers.types(shape.rows, shape.columns, move.stride)}, "
            f"{shape.rows}, {shape.columns}>",
            emission.pointer(target),
            *transfers.values(emission, shape.rows, shape.columns, move.stride),
            emission.values.index(emission.tiles.address(source)),
            "0",
            *map(emission.values.index, (move.valid_rows, move.valid_columns)),
        )


def _some(count: Scalar) -> Scalar:
    return compare(">", count, 0)


# --- within the UB -------------------------------------------------------------------------------


def _ub_to_ub(emission: Pto, call: Call, source: Region, target: Region) -> None:
    to, of = emission.tiles.alike([target, source])
    if emission.type(source.buffer) == emission.type(target.buffer):
        emission.call("TMOV", to, of)
    else:
        check_conversion(emission, source, target)
        mode = rounding(source.buffer.dtype, target.buffer.dtype, "CAST_NONE")
        emission.call("TCVT", to, of, f"pto::RoundMode::{mode}")


_PATHS = {
    "copy_gm_to_l1": gm_to_l1,
    "copy_l1_to_l0a": l1_to_l0,
    "copy_l1_to_l0b": l1_to_l0,
    "copy_l0c_to_gm": l0c_to_gm,
    "copy_gm_to_ub": _gm_to_ub,
    "copy_ub_to_gm": _ub_to_gm,
    "copy_ub_to_ub": _ub_to_ub,
}
