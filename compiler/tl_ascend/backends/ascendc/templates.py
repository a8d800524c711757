"""Device calls that a row gives as text (`ops.row.Template`)."""

from __future__ import annotations

import string
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tl_ascend.backends.common.operands import count, hidden, written
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types, deciding
from tl_ascend.backends.common.views import Rows, contiguous, product, rows_of
from tl_ascend.ir.affine import same
from tl_ascend.ir.expr import Scalar, Var
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.text import show_region
from tl_ascend.ops.row import Param, Template

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission


def write(emission: Emission, call: Call, template: Template) -> None:
    """Write the call; where a tile is cut out of a wider one, once for each of its rows."""
    check_types(emission, call)
    with each_row(emission, call, counted="{n}" in template.text) as row:
        emission.out.line(_filled(emission, call, template, row))


@contextmanager
def each_row(emission: Emission, call: Call, counted: bool = True) -> Iterator[Row | None]:
    """What follows, once for all of the tiles, or for each of their rows. `counted`: it says how many
    elements it walks. Errors: Refusal."""
    tiles = [arg for arg in call.op.args if isinstance(arg, Region)]
    if all(contiguous(emission.kernel, tile) for tile in tiles):
        yield None
        return
    steps = _rows(emission, call, counted, tiles)
    with emission.loop("row", steps.rows) as row:
        yield Row(row, steps)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of every operand; `number` counts them."""

    number: Var
    steps: Rows


def _rows(emission: Emission, call: Call, counted: bool, tiles: list[Region]) -> Rows:
    """The rows that all tiles have in common. Errors: Refusal."""
    cut = [tile for tile in tiles if not contiguous(emission.kernel, tile)]
    shapes = [rows_of(emission.kernel, tile) for tile in cut]
    first = shapes[0]
    alike = first is not None and all(
        s is not None and same(s.rows, first.rows) and same(s.columns, first.columns)
        for s in shapes
    )
    if first is None or not alike or not counted:
        raise Refusal(
            "not-lowered",
            cut[0].span,
            f"{show_region(cut[0])} is not contiguous, and {call.form.name} walks consecutive "
            "elements",
            "Copy the region to a tile of its own first.",
        )
    return first


def _filled(emission: Emission, call: Call, template: Template, row: Row | None) -> str:
    parts = []
    for text, name, _, _ in string.Formatter().parse(template.text):
        parts.append(text)
        if name:
            parts.append(_field(emission, call, name, row))
    return "".join(parts) + ";"


def _field(emission: Emission, call: Call, name: str, row: Row | None) -> str:
    for param, arg in zip(call.row.params, call.op.args, strict=False):
        if param.name == name:
            return _argument(emission, call, param, arg, row)
    if name == "n":
        return emission.values.index(elements(call, row))
    if name == "type":
        return emission.type(written(call).buffer)
    if name == "scratch":
        return scratch(emission, call)
    what, operand = name.split("_", 1)
    tile = call.region(operand)
    if what == "type":
        return emission.type(tile.buffer)
    return emission.values.index(product(tile.extents))


def scratch(emission: Emission, call: Call) -> str:
    """The hidden tile that lowering attached. Errors: Refusal."""
    return emission.pointer(hidden(call))


def _argument(emission: Emission, call: Call, param: Param, arg: Any, row: Row | None) -> str:
    if isinstance(arg, Region):
        return pointer(emission, arg, row)
    if isinstance(arg, str):
        return call.choice(param.name)
    if param.kind == "int":
        return emission.values.index(arg)
    if param.kind == "flag":
        return emission.values.condition(arg)
    if arg is None:
        raise Refusal("not-lowered", call.op.span, f"{param.name} is missing")
    return emission.values.typed(arg, deciding(call).buffer.dtype)


def elements(call: Call, row: Row | None) -> Scalar:
    """How many elements of each tile the call walks."""
    return row.steps.columns if row else count(call)


def pointer(emission: Emission, tile: Region, row: Row | None, step: Scalar = 0) -> str:
    """Where the call begins in a tile. `step`: so many elements behind that."""
    if row is None:
        return emission.pointer(tile, step)
    own = None if contiguous(emission.kernel, tile) else rows_of(emission.kernel, tile)
    pitch: Scalar = row.steps.columns if own is None else own.pitch
    return emission.pointer(tile, binary("+", binary("*", row.number, pitch), step))
