"""Vector operations that are more than an instruction on tiles of one size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tl_ascend.backends.common.operands import count, hidden, inverse, with_scalar
from tl_ascend.backends.common.repeats import repeated_shapes
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_conversion, check_types
from tl_ascend.backends.common.views import constant, contiguous, matrix_of, product
from tl_ascend.backends.pto import templates
from tl_ascend.backends.pto.rules import rule
from tl_ascend.backends.pto.tiles import Shape, row_of
from tl_ascend.ir.addresses import block_elements
from tl_ascend.ir.constants import number_of
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import root, round_up
from tl_ascend.ir.text import show_region
from tl_ascend.ops.row import Template
from tl_ascend.target.conversions import NEAREST, NONE, plain
from tl_ascend.target.dtypes import INT32, UINT8, DType

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto


REPEAT = 2048  # bits that one repeat of the vector unit works on


def rounding(source: DType, target: DType, mode: str) -> str:
    """CAST_NONE where nothing is lost; where something is, it means round to even (CANN, Cast), and
    the instruction truncates unless that is said."""
    return NEAREST if mode == NONE and not plain(source, target) else mode


def scratch_row(emission: Pto, call: Call, type: DType, size: Any) -> str:
    """The hidden scratch as one row of elements of a type. Errors: Refusal."""
    return emission.tiles.view(hidden(call), row_of(size, type), type)


@rule("divs")
def divs(emission: Pto, call: Call) -> None:
    """Division by a scalar. The instruction fills the result with the scalar first (PTO, TDIVS of A2 and
    A3), so a tile that is divided in place is multiplied, as on route ascendc."""
    if not _in_place(call):
        div_by_block(emission, call)
        return
    _check_division(call)
    product_of = with_scalar(call, inverse(call.arg("src1")))
    templates.write(emission, product_of, Template("TMULS({dst}, {src0}, {src1})"))


@rule("div_by_block")
def div_by_block(emission: Pto, call: Call) -> None:
    """The same where a product does not do: a copy of what lies in place is divided."""
    _check_division(call)
    if not _in_place(call):
        templates.write(emission, call, Template("TDIVS({dst}, {src0}, {src1})"))
        return
    check_types(emission, call)
    to, copy = _copied(emission, call)
    kind = call.region("src0").buffer.dtype
    emission.call("TDIVS", to, copy, emission.values.typed(call.arg("src1"), kind))


def _in_place(call: Call) -> bool:
    return root(call.region("dst").buffer) is root(call.region("src0").buffer)


def _check_division(call: Call) -> None:
    tile, scalar = call.region("src0"), call.arg("src1")
    if tile.buffer.dtype.kind != "float":
        raise Refusal(
            "dtype-unsupported",
            call.op.span,
            f"{tile.buffer.name} holds {tile.buffer.dtype}: the vector unit divides floats only",
        )
    if number_of(scalar) == 0:
        raise Refusal("python-error", call.span("src1"), "division by zero")


@rule("reciprocal")
def reciprocal(emission: Pto, call: Call) -> None:
    """The same instruction: of a copy, where the result lies over its operand."""
    check_types(emission, call)
    if not _in_place(call):
        tiles = [call.region("dst"), call.region("src0")]
        emission.call("TRECIP", *emission.tiles.alike(tiles))
        return
    emission.call("TRECIP", *_copied(emission, call))


def _copied(emission: Pto, call: Call) -> tuple[str, str]:
    """The tile that is written, and a copy in the scratch of the one that is read."""
    target, source = call.region("dst"), call.region("src0")
    shape = emission.tiles.pitched(source, emission.tiles.rows(source))
    if contiguous(emission.kernel, source):
        shape = row_of(count(call), source.buffer.dtype)
    to, of = (emission.tiles.view(tile, shape) for tile in (target, source))
    columns = source.extents[-1]
    if shape.rows > 1 and isinstance(columns, int):
        shape = replace(shape, columns=round_up(columns, block_elements(source.buffer.dtype)))
    copy = emission.tiles.view(hidden(call), shape, source.buffer.dtype)
    emission.call("TMOV", copy, of)
    emission.barrier("V")
    return to, copy


@rule("fill")
def fill(emission: Pto, call: Call) -> None:
    """One value everywhere. 64-bit elements are two words, which must be alike."""
    check_types(emission, call)
    tile = call.region("buffer")
    value = call.arg("value") if len(call.row.params) > 1 else 0
    type = tile.buffer.dtype
    if type.bits == 64:
        if number_of(value) not in (0, -1):
            text = f"{show_region(tile)} holds {type}: route pto fills such tiles with 0 or -1 only"
            raise Refusal("dtype-unsupported", tile.span, text)
        words = emission.tiles.row(tile, binary("*", product(tile.extents), 2), INT32)
        emission.call("TEXPANDS", words, str(number_of(value)))
        return
    (to,) = emission.tiles.alike([tile])
    emission.call("TEXPANDS", to, emission.values.typed(value, type))


@rule("cast")
def cast(emission: Pto, call: Call) -> None:
    """The mode is part of the text. The first `count` elements, which may be all."""
    target, source = call.region("dst"), call.region("src")
    tiles, size = [target, source], call.arg("count")
    check_conversion(emission, source, target, call.choice("mode"))
    mode = rounding(source.buffer.dtype, target.buffer.dtype, call.choice("mode"))
    if any(not contiguous(emission.kernel, tile) for tile in tiles):
        names = emission.tiles.alike(tiles)
    elif all(product(tile.extents) == size for tile in tiles):
        names = emission.tiles.alike(tiles)
    else:
        names = [emission.tiles.row(tile, size) for tile in tiles]
    emission.call("TCVT", *names, f"pto::RoundMode::{mode}")


# --- comparisons and choices -----------------------------------------------------------------------


@rule("compare")
def compare(emission: Pto, call: Call) -> None:
    """One row: then the bits follow each other, as on route ascendc."""
    check_types(emission, call)
    target, source, other = call.region("dst"), call.region("src0"), call.arg("src1")
    mode = call.choice("mode")
    if source.buffer.dtype == INT32 and mode != "EQ":
        text = f"{source.buffer.name} holds int32, of which the vector unit compares EQ only"
        raise Refusal("dtype-unsupported", source.span, text)
    size = product(source.extents)
    bits = binary("//", binary("+", size, 7), 8)
    to = emission.tiles.row(target, bits, UINT8)
    first = emission.tiles.row(source, size)
    if isinstance(other, Region):
        function, last = "compare", emission.tiles.row(other, size)
    else:
        function, last = "compare_scalar", emission.values.typed(other, source.buffer.dtype)
    emission.call(f"tl::ascend_pto::{function}", to, first, last, f"pto::CmpMode::{mode}")


@rule("select")
def select(emission: Pto, call: Call) -> None:
    """Bit by bit, of one row; repeats that all take the same bits one by one."""
    check_types(emission, call)
    size, lanes = count(call), REPEAT // call.region("src0").buffer.dtype.bits
    alike = call.choice("selMode") == "VSEL_CMPMASK_SPR"
    if not alike or (isinstance(size, int) and size <= lanes):
        _select(emission, call, 0, size)
        return
    if not isinstance(size, int) or size % lanes:
        text = f"VSEL_CMPMASK_SPR of {size} elements, no multiple of the {lanes} of a repeat"
        raise Refusal("not-lowered", call.span("selMode"), text)
    with emission.loop("part", size // lanes) as part:
        _select(emission, call, binary("*", part, lanes), lanes)


def _select(emission: Pto, call: Call, start: Scalar, size: Scalar) -> None:
    """So many elements from one on, by the first bits of the mask."""
    mask, tile, other = call.region("selMask"), call.region("src0"), call.arg("src1")
    bits = binary("//", binary("+", size, 7), 8)
    to, first = (emission.tiles.run(t, start, size) for t in (call.region("dst"), tile))
    chosen = emission.tiles.row(mask, bits, UINT8)
    tmp = scratch_row(emission, call, UINT8, 32)
    if isinstance(other, Region):
        emission.call("TSEL", to, chosen, first, emission.tiles.run(other, start, size), tmp)
    else:
        last = emission.values.typed(other, tile.buffer.dtype)
        emission.call("TSELS", to, chosen, first, tmp, last)


# --- repetition ------------------------------------------------------------------------------------


@rule("broadcast")
def broadcast(emission: Pto, call: Call) -> None:
    """A column over columns, or a row over rows."""
    target, source = call.region("dst"), call.region("src")
    check_types(emission, call)
    wide, narrow, axis = repeated_shapes(call, target, source)
    if narrow == wide:
        emission.call("TMOV", *emission.tiles.alike([target, source]))
    elif len(wide) < 2:
        emission.call("TROWEXPAND", emission.tiles.row(target), emission.tiles.column(source, 1))
    else:
        to = emission.tiles.view(
            target, emission.tiles.pitched(target, emission.tiles.rows(target))
        )
        if axis == 1:
            emission.call("TROWEXPAND", to, emission.tiles.column(source, wide[0]))
        else:
            emission.call("TCOLEXPAND", to, emission.tiles.row(source))


@rule("transpose")
def transpose(emission: Pto, call: Call) -> None:
    """Rows of both sides begin at whole blocks; the scratch has the rows of the target, in whole
    squares. Errors: Refusal."""
    check_types(emission, call)
    target, source = call.region("dst"), call.region("src")
    rows, columns = matrix_of(source)
    type = source.buffer.dtype
    unit = block_elements(type)
    if rows % unit or columns % unit:
        text = f"{show_region(source)} has {rows} rows of {columns} elements: route pto transposes "
        raise Refusal("not-lowered", source.span, f"{text}multiples of {unit} of {type}")
    side = 32 if type.bits == 8 else 16
    to = emission.tiles.view(target, Shape(columns, rows, columns, rows))
    of = emission.tiles.view(source, Shape(rows, columns, rows, columns))
    wide = round_up(rows, side)
    tmp = emission.tiles.view(hidden(call), Shape(columns, wide, columns, wide), type)
    emission.call("TTRANS", to, of, tmp)


def size_of(tile: Region) -> int:
    """Elements of a tile of known size. Errors: Refusal."""
    return constant(product(tile.extents), tile, "its size")
