"""T.copy on the cube core: GM to L1, L1 to L0A and L0B, L0C to GM.

At the edge of a tensor the templates move only what exists. They read a tail of 0 as "no tail", so
where a tile may lie outside the tensor altogether the call is guarded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.fractals import consecutive
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.transfers import fixpipe, inside, one_type
from tl_ascend.backends.common.views import constant
from tl_ascend.ir.addresses import block_elements, matrix, shape_of
from tl_ascend.ir.affine import same
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import round_up
from tl_ascend.ir.text import show_region

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission


def gm_to_l1(emission: Emission, call: Call, source: Region, target: Region) -> None:
    kind = one_type(emission, source, target)
    exists, moved = inside(source)
    rows, columns = (
        constant(size, target, "its size")
        for size in matrix(shape_of(emission.kernel, target.buffer))
    )
    clear = call.op.clears or _covers(target, rows, columns)
    arguments = [
        emission.pointer(target),
        emission.pointer(source),
        *map(emission.values.index, (moved.stride, moved.valid_rows, moved.valid_columns)),
        "true" if clear else "false",
    ]
    function = f"tl::ascend::copy_gm_to_l1<{kind}, {rows}, {columns}>"
    with emission.guarded(exists):
        emission.call(function, *arguments)
    if clear and exists is not True:
        with emission.out.otherwise():
            _clear_l1(emission, target, rows, columns)


def _covers(target: Region, rows: int, columns: int) -> bool:
    high, wide = matrix(target.extents)
    return same(high, rows) is True and same(wide, columns) is True


def _clear_l1(emission: Emission, target: Region, rows: int, columns: int) -> None:
    """A tile outside the tensor is all zeros, like the missing part of any other."""
    bits = target.buffer.dtype.bits
    size = round_up(rows, 16) * round_up(columns, block_elements(target.buffer.dtype))
    params = f"AscendC::InitConstValueParams<uint32_t>(1, {size * bits // 256}, 0, 0)"
    tile = emission.pointer(target)
    emission.call("AscendC::InitConstValue", f"{tile}.ReinterpretCast<uint32_t>()", params)
    emission.barrier("MTE2")


def l1_to_l0(emission: Emission, call: Call, source: Region, target: Region) -> None:
    kind = one_type(emission, source, target)
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


def l0c_to_gm(emission: Emission, call: Call, source: Region, target: Region) -> None:
    write_l0c(emission, call, source, target, call.form.name, call.flag("enable_relu"))


def write_l0c(
    emission: Emission, call: Call, source: Region, target: Region, name: str, relu: bool
) -> None:
    """Out of L0C through Fixpipe, which converts float to 16-bit floats on the way."""
    fixpipe(source, target)
    exists, moved = inside(target)
    rows, columns = (
        constant(size, source, "its size")
        for size in matrix(shape_of(emission.kernel, source.buffer))
    )
    types = f"{emission.type(source.buffer)}, {emission.type(target.buffer)}"
    with emission.guarded(exists):
        emission.call(
            f"tl::ascend::{name}<{types}, layout::RowMajor, {rows}, {columns}, {_word(relu)}>",
            emission.pointer(target),
            emission.pointer(source),
            *map(emission.values.index, (moved.stride, moved.valid_rows, moved.valid_columns)),
        )


def _word(value: bool) -> str:
    return "true" if value else "false"
