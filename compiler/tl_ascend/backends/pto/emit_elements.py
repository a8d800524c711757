"""Operations on single elements of tiles: the scalar unit walks them. Their templates have a header of
their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tl_ascend.backends.common.operands import hidden
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.pto.rules import rule
from tl_ascend.ir.nodes import Region
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto

HEADER = "tl_templates/pto/elements.h"


def walk(emission: Pto, function: str, given: tuple[object, ...], *passed: str) -> None:
    """A call of the header's. `given`: arguments of the template."""
    emission.includes.add(HEADER)
    text = ", ".join(map(str, given))
    emission.call(f"tl::ascend_pto::{function}<{text}>", *passed)


def place(emission: Pto, tile: Region) -> str:
    """The address of a tile."""
    return emission.values.index(emission.tiles.address(tile))


def numbers(call: Call, name: str, least: int) -> list[Any]:
    """A list argument. Errors: Refusal."""
    given: Any = call.arg(name)
    if not isinstance(given, (tuple, list)) or len(given) < least:
        text = f"{name} of T.{call.row.name} is a list of {least} numbers"
        raise Refusal("not-lowered", call.span(name), text)
    return list(given[:least])


@rule("gathermask_experiment")
def gathermask_experiment(emission: Pto, call: Call) -> None:
    check_types(emission, call)
    target, source, bits = (call.region(name) for name in ("dst", "src0", "src1Pattern"))
    words = -(-emission.tiles.room(bits) * bits.buffer.dtype.bits // 32)
    block, times, step, bits_step = numbers(call, "GatherMaskParams", 4)
    values = emission.values
    walk(
        emission,
        "gather_bits",
        (emission.type(target.buffer), *map(emission.tiles.room, (target, source)), words),
        *(place(emission, tile) for tile in (target, source, bits)),
        values.condition(call.arg("reduceMode")),
        *map(values.index, (call.arg("mask"), block, times, step, bits_step)),
    )


@rule("fill_experiment")
def fill_experiment(emission: Pto, call: Call) -> None:
    check_types(emission, call)
    target, values = call.region("dst"), emission.values
    (mask,) = numbers(call, "mask", 1)
    strides = ("repeatTimes", "dstBlockStride", "dstRepeatStride")
    walk(
        emission,
        "fill_bits",
        (emission.type(target.buffer), emission.tiles.room(target)),
        place(emission, target),
        values.typed(call.arg("value"), target.buffer.dtype),
        *map(values.index, (mask, *(call.arg(name) for name in strides))),
    )


@rule("init_sort_buf")
def init_sort_buf(emission: Pto, call: Call) -> None:
    check_types(emission, call)
    target = call.region("buffer")
    size = emission.values.index(call.arg("num"))
    room = emission.tiles.room(target)
    walk(emission, "init_sort_buf", (room,), place(emission, target), size)


@rule("bilinear")
def bilinear(emission: Pto, call: Call) -> None:
    """The blocks that are weighted and their sum lie in scratch."""
    check_types(emission, call)
    target, source, offsets, weights = (
        call.region(name) for name in ("dst", "src0", "src0_offset", "src1")
    )
    lanes = call.arg("mask")
    if not isinstance(lanes, int):
        text = "mask of T.tile.bilinear_interpolation must be known when the kernel is compiled"
        raise Refusal("dynamic-shape", call.span("mask"), text)
    rooms = map(emission.tiles.room, (source, weights))
    by_block = str(call.flag("repeat_mode")).lower()
    counts = ("h_repeat", "v_repeat", "dst_blk_stride", "v_r_offset")
    walk(
        emission,
        "blend",
        (emission.type(target.buffer), *rooms, by_block, lanes),
        *(place(emission, tile) for tile in (target, source, offsets, weights, hidden(call))),
        *(emission.values.index(call.arg(name)) for name in counts),
    )


@rule("data_cache")
def data_cache(emission: Pto, call: Call) -> None:
    """An instruction of the core itself (CANN, DataCacheCleanAndInvalid)."""
    check_types(emission, call)
    target = call.region("dst")
    if emission.memory(target) is not Memory.GM:
        text = f"{target.buffer.name} lies in the UB, of which route pto has no cache to clean"
        raise Refusal("not-lowered", target.span, text)
    address = f"reinterpret_cast<__gm__ void *>({emission.pointer(target)})"
    emission.call("dcci", address, call.choice("CacheLine"), call.choice("DcciDst"))
