"""Functions of tiles that take several instructions, and operations on bits.

Upstream's templates overwrite what they read (sigmoid, pow); they get a copy of it in scratch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.operands import hidden
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types, deciding, same_type
from tl_ascend.backends.common.words import words_of
from tl_ascend.backends.pto.emit_sync import own_flag
from tl_ascend.backends.pto.emit_vector import scratch_row, size_of
from tl_ascend.backends.pto.rules import rule
from tl_ascend.backends.pto.templates import scalar
from tl_ascend.backends.pto.tiles import row_of
from tl_ascend.ir.addresses import shape_of
from tl_ascend.ir.constants import number_of
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import elements
from tl_ascend.target.dtypes import FLOAT32, UINT16, UINT32

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto


FUNCTIONS = "tl_templates/pto/functions.h"


def _rows(emission: Pto, call: Call, *names: str) -> tuple[list[str], str]:
    """Operands as rows of one size, and the template arguments of upstream's functions on them."""
    check_types(emission, call)
    regions = [call.region(name) for name in names]
    size = size_of(regions[0])
    type = regions[0].buffer.dtype
    for region in regions:
        same_type(call, region, regions[0])
        if size_of(region) != size:
            text = f"{region.buffer.name} and {regions[0].buffer.name} differ in size"
            raise Refusal("not-lowered", region.span, text)
    columns = row_of(size, type).columns
    if columns != size and not all(_whole(emission, region) for region in regions):
        text = f"{call.form.name} of {size} elements, which end within a block of 32 bytes"
        raise Refusal("not-lowered", call.op.span, text, "Take the whole of the tiles.")
    # The templates take tiles that count whole: what lies behind a tile in its last block belongs to
    # nobody.
    size = columns
    tiles = [emission.tiles.row(region, size) for region in regions]
    return tiles, f"<{emission.type(regions[0].buffer)}, 1, {size}>"


def _whole(emission: Pto, region: Region) -> bool:
    shape = shape_of(emission.kernel, region.buffer)
    return elements(shape) == size_of(region)


def _copied(emission: Pto, call: Call, name: str) -> str:
    """A copy of an operand in scratch."""
    region = call.region(name)
    type, size = region.buffer.dtype, row_of(size_of(region), region.buffer.dtype).columns
    tmp = scratch_row(emission, call, type, size)
    emission.call("TMOV", tmp, emission.tiles.row(region, size))
    emission.barrier("V")
    return tmp


@rule("sigmoid")
def sigmoid(emission: Pto, call: Call) -> None:
    (to, _), given = _rows(emission, call, "dst", "src")
    emission.call(f"tl::ascend_pto::TSIGMOID{given}", to, _copied(emission, call, "src"))


@rule("silu")
def silu(emission: Pto, call: Call) -> None:
    (to, of), given = _rows(emission, call, "dst", "src")
    emission.call(f"tl::ascend_pto::TSIGMOID{given}", to, _copied(emission, call, "src"))
    emission.barrier("V")
    emission.call("TMUL", to, of, to)


@rule("wave")
def wave(emission: Pto, call: Call) -> None:
    """Sine or cosine. Its template has a header of its own."""
    (to, of), _ = _rows(emission, call, "dst", "src")
    emission.includes.add(FUNCTIONS)
    tile = call.region("dst")
    columns = row_of(size_of(tile), tile.buffer.dtype).columns
    given = f"{emission.type(tile.buffer)}, {columns}, {str(call.form.name == 'Cos').lower()}"
    at = emission.values.index(emission.tiles.address(hidden(call)))
    emission.call(f"tl::ascend_pto::wave<{given}>", to, of, at)


@rule("pow")
def power(emission: Pto, call: Call) -> None:
    """Through the logarithm: of bases that are not negative. Whole numbers are multiplied."""
    (to, whole, exponent), given = _rows(emission, call, "dst", "src0", "src1")
    tile = call.region("src0")
    if tile.buffer.dtype.kind != "float":
        emission.includes.add(FUNCTIONS)
        columns = row_of(size_of(tile), tile.buffer.dtype).columns
        emission.call(f"tl::ascend_pto::whole_pow<{columns}>", to, whole, exponent)
        return
    base = _copied(emission, call, "src0")
    emission.call(f"tl::ascend_pto::pow{given}", to, base, exponent)


@rule("mul_add_dst")
def mul_add_dst(emission: Pto, call: Call) -> None:
    (to, a, b), given = _rows(emission, call, "dst", "src0", "src1")
    type = call.region("dst").buffer.dtype
    tmp = scratch_row(emission, call, type, row_of(size_of(call.region("dst")), type).columns)
    emission.call(f"tl::ascend_pto::MulAddDst{given}", to, a, b, tmp)


@rule("axpy")
def axpy(emission: Pto, call: Call) -> None:
    (to, of), given = _rows(emission, call, "dst", "src0")
    value = emission.values.typed(call.arg("scalar_value"), FLOAT32)
    emission.call(f"tl::ascend_pto::axpy{given}", to, of, value)


@rule("round")
def round_(emission: Pto, call: Call) -> None:
    """To the even neighbour; of halves in float, for which there is an instruction."""
    check_types(emission, call)
    target, source, size = call.region("out"), call.region("buffer"), call.arg("count")
    to, of = emission.tiles.row(target, size), emission.tiles.row(source, size)
    if source.buffer.dtype == FLOAT32:
        emission.call("TCVT", to, of, "pto::RoundMode::CAST_RINT")
        return
    wide = scratch_row(emission, call, FLOAT32, size)
    for a, b, mode in ((wide, of, "NONE"), (wide, wide, "RINT"), (to, wide, "RINT")):
        if a is not wide or b is wide:
            emission.barrier("V")
        emission.call("TCVT", a, b, f"pto::RoundMode::CAST_{mode}")


@rule("clamp")
def clamp(emission: Pto, call: Call) -> None:
    """The lower limit first, as on route ascendc."""
    check_types(emission, call)
    target, source, size = call.region("out"), call.region("buffer"), call.arg("count")
    to, of = emission.tiles.row(target, size), emission.tiles.row(source, size)
    steps = _LIMITS[call.form.name]
    for at, (function, name) in enumerate(steps):
        if at:
            emission.barrier("V")
        emission.call(function, to, to if at else of, scalar(emission, call, name))


_LIMITS = {
    "ClampMax": (("TMINS", "scalar_value"),),
    "ClampMin": (("TMAXS", "scalar_value"),),
    "Clamp": (("TMAXS", "min_scalar"), ("TMINS", "max_scalar")),
}


# --- sequences -------------------------------------------------------------------------------------


@rule("sequence")
def sequence(emission: Pto, call: Call) -> None:
    """The scalar unit writes it, so the vector unit waits, before and after. It takes unsigned numbers,
    too, which the vector unit multiplies not."""
    first, tile = call.row.params[1].name, deciding(call)
    step: Scalar = 1 if call.form.name == "CreateVecIndex" else call.arg("diff_value")
    size = size_of(tile) if call.form.name == "CreateVecIndex" else call.arg("count")
    start = scalar(emission, call, first)
    steps = number_of(step)
    to = emission.tiles.row(tile, size)
    zero = emission.values.typed(0, tile.buffer.dtype)
    plain = steps is not None and steps in (1, -1)
    if not plain or tile.buffer.dtype not in (UINT16, UINT32):
        check_types(emission, call)
    kind = f"decltype({to}), {emission.type(tile.buffer)}, {int(steps == -1)}"
    own_flag(emission, "V", "S")
    emission.call(f"TCI<{kind}>", to, start if plain else zero)
    own_flag(emission, "S", "V")
    if not plain:
        emission.call("TMULS", to, to, scalar(emission, call, "diff_value"))
        emission.barrier("V")
        emission.call("TADDS", to, to, start)


# --- bits ------------------------------------------------------------------------------------------


@rule("bitwise")
def bitwise(emission: Pto, call: Call) -> None:
    """Bits do not care how wide their elements are: all tiles are 16-bit words."""
    tiles = [arg for arg in call.op.args if isinstance(arg, Region)]
    size = words_of(call, tiles)
    names = [emission.tiles.row(tile, size, UINT16) for tile in tiles]
    if call.form.name == "Xor":
        names.append(scratch_row(emission, call, UINT16, size))
    emission.call(_BITS[call.form.name], *names)


_BITS = {
    "And": "tl::ascend_pto::tand",
    "Or": "tl::ascend_pto::tor",
    "Xor": "TXOR",
    "Not": "TNOT",
}


# --- counted forms ---------------------------------------------------------------------------------


@rule("counted")
def counted(emission: Pto, call: Call) -> None:
    """The first `count` elements."""
    check_types(emission, call)
    size, names = call.arg("count"), [p.name for p in call.row.params if p.name != "count"]
    texts = [
        emission.tiles.row(arg, size) if isinstance(arg, Region) else scalar(emission, call, name)
        for name, arg in ((name, call.arg(name)) for name in names)
    ]
    emission.call({"Sub": "TSUB", "Abs": "TABS", "Mins": "TMINS"}[call.form.name], *texts)
