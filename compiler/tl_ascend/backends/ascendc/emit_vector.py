"""Vector operations that are more than a row of arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc import templates
from tl_ascend.backends.ascendc.emit_experimental import BLOCKS, MOST
from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.common.operands import count, hidden, inverse, with_scalar
from tl_ascend.backends.common.repeats import repeated_shapes
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_conversion, check_types
from tl_ascend.backends.common.views import matrix_of, require_contiguous
from tl_ascend.ir.addresses import block_elements
from tl_ascend.ir.constants import number_of
from tl_ascend.ir.effects import sets_scale
from tl_ascend.ir.expr import Binary, Scalar
from tl_ascend.ir.fold import binary, ceildiv
from tl_ascend.ir.nodes import AUTO_SYNC, Region
from tl_ascend.ops.row import Template
from tl_ascend.target.conversions import SCALED, pair_of
from tl_ascend.target.dtypes import FLOAT16

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission


_ADDS = Template("AscendC::Adds({dst}, {src0}, {src1}, {n})")
_MULS = Template("AscendC::Muls({dst}, {src0}, {src1}, {n})")


@rule("subs")
def subs(emission: Emission, call: Call) -> None:
    """There is no subtraction of a scalar: its negative is added."""
    scalar = call.arg("src1")
    number = number_of(scalar)
    negative = -number if number is not None else Binary("*", scalar, -1)
    templates.write(emission, with_scalar(call, negative), _ADDS)


@rule("divs")
def divs(emission: Emission, call: Call) -> None:
    """There is no division by a scalar: its reciprocal is multiplied, as upstream does."""
    _check_division(call)
    templates.write(emission, with_scalar(call, inverse(call.arg("src1"))), _MULS)


def _check_division(call: Call) -> None:
    tile = call.region("src0")
    if tile.buffer.dtype.kind != "float":
        raise Refusal(
            "dtype-unsupported",
            call.op.span,
            f"{tile.buffer.name} holds {tile.buffer.dtype}: division by a scalar is a product with "
            "its reciprocal, which is 0 for integers",
        )
    if number_of(call.arg("src1")) == 0:
        raise Refusal("python-error", call.span("src1"), "division by zero")


@rule("div_by_block")
def div_by_block(emission: Emission, call: Call) -> None:
    """A block that holds the scalar everywhere is the second source of each repeat, all of whose
    blocks read it: a stride of 0."""
    _check_division(call)
    check_types(emission, call)
    kind, block = call.region("src0").buffer.dtype, hidden(call)
    if not emission.kernel.options.on(AUTO_SYNC):
        emission.barrier("V")  # the same block may still be read
    value = emission.values.typed(call.arg("src1"), kind)
    name = emission.pointer(block)
    emission.call("AscendC::Duplicate", name, value, str(block_elements(kind)))
    emission.barrier("V")
    with templates.each_row(emission, call) as row:
        _divided(emission, call, row, name)


def _divided(emission: Emission, call: Call, row: templates.Row | None, block: str) -> None:
    lanes = BLOCKS * block_elements(call.region("src0").buffer.dtype)

    def some(start: Scalar, each: Scalar, repeats: int) -> None:
        tiles = (call.region(name) for name in ("dst", "src0"))
        emission.call(
            "AscendC::Div",
            *(templates.pointer(emission, tile, row, start) for tile in tiles),
            block,
            emission.values.index(each),
            str(repeats),
            f"AscendC::BinaryRepeatParams(1, 1, 0, {BLOCKS}, {BLOCKS}, 0)",
        )

    size = templates.elements(call, row)
    if not isinstance(size, int):
        with emission.loop("part", ceildiv(size, lanes)) as part:
            start = binary("*", part, lanes)
            some(start, binary("min", binary("-", size, start), lanes), 1)
        return
    whole, rest = divmod(size, lanes)
    for first in range(0, whole, MOST):
        some(first * lanes, lanes, min(MOST, whole - first))
    if rest:
        some(whole * lanes, rest, 1)


@rule("cast")
def cast(emission: Emission, call: Call) -> None:
    """The mode is part of the text."""
    target, source = call.region("dst"), call.region("src")
    check_conversion(emission, source, target, call.choice("mode"))
    for tile in (target, source):
        require_contiguous(emission.kernel, tile, call.form.name)
    scale_by_one(emission, source, target)
    emission.call(
        "AscendC::Cast",
        emission.pointer(target),
        emission.pointer(source),
        f"AscendC::RoundMode::{call.choice('mode')}",
        emission.values.index(call.arg("count")),
    )


def scale_by_one(emission: Emission, source: Region, target: Region) -> None:
    """The conversion that multiplies by a register finds 1 there, where the author leaves it alone."""
    scaled = pair_of(source.buffer.dtype, target.buffer.dtype) == SCALED
    if scaled and not sets_scale(emission.kernel):
        emission.call("AscendC::SetDeqScale", emission.values.typed(1.0, FLOAT16))


@rule("select")
def select(emission: Emission, call: Call) -> None:
    """The second source is a tile, or a scalar of exactly the first one's type."""
    mask, tile, other = call.region("selMask"), call.region("src0"), call.arg("src1")
    check_types(emission, call)
    for operand in (call.region("dst"), mask, tile):
        require_contiguous(emission.kernel, operand, call.form.name)
    kind = emission.type(tile.buffer)
    if isinstance(other, Region):
        require_contiguous(emission.kernel, other, call.form.name)
        function, last = "AscendC::Select", emission.pointer(other)
    else:
        function = f"AscendC::Select<{kind}, {emission.type(mask.buffer)}>"
        last = emission.values.typed(other, tile.buffer.dtype)
    emission.call(
        function,
        emission.pointer(call.region("dst")),
        emission.pointer(mask),
        emission.pointer(tile),
        last,
        f"AscendC::SELMODE::{call.choice('selMode')}",
        emission.values.index(count(call)),
    )


@rule("broadcast")
def broadcast(emission: Emission, call: Call) -> None:
    """Shapes go into the call as arrays. The scratch is named without an index: upstream's template
    takes a reference to it."""
    target, source = call.region("dst"), call.region("src")
    check_types(emission, call)
    for tile in (target, source):
        require_contiguous(emission.kernel, tile, call.form.name)
    wide, narrow, axis = repeated_shapes(call, target, source)
    if not call.op.extra:
        raise Refusal("dynamic-shape", call.op.span, "the size of the scratch is not known")
    kind = emission.type(source.buffer)
    emission.call(
        f"tl::ascend::Broadcast<{kind}, {len(wide)}, {axis}, false>",
        emission.pointer(target),
        emission.pointer(source),
        emission.tensor(call.op.extra[0].buffer),
        _array(wide),
        _array(narrow),
    )


def _array(sizes: list[int]) -> str:
    return f"(uint32_t[]){{{', '.join(map(str, sizes))}}}"


@rule("transpose")
def transpose(emission: Emission, call: Call) -> None:
    """The size is part of the call: rows and columns of the source."""
    check_types(emission, call)
    target, source = call.region("dst"), call.region("src")
    for tile in (target, source):
        require_contiguous(emission.kernel, tile, call.form.name)
    rows, columns = matrix_of(source)
    emission.call(
        f"tl::ascend::transpose<{emission.type(source.buffer)}, {rows}, {columns}>",
        emission.pointer(target),
        emission.pointer(source),
    )
