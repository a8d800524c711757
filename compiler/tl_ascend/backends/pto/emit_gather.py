"""Collecting elements of a tile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.common.views import constant, product
from tl_ascend.backends.pto.emit_vector import scratch_row, size_of
from tl_ascend.backends.pto.rules import rule
from tl_ascend.backends.pto.tiles import NAMES, row_of
from tl_ascend.ir.addresses import block_elements
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Region
from tl_ascend.passes.scratch_pto import PLACES
from tl_ascend.target.dtypes import UINT32
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto

BLOCKS = 8  # of 32 bytes in a repeat


@rule("gather")
def gather(emission: Pto, call: Call) -> None:
    """The instruction counts elements, the operation bytes: the offsets are divided, into scratch. As
    many elements as the smaller of result and offsets has."""
    check_types(emission, call)
    target, source, offsets = (call.region(n) for n in ("dst", "src", "src_offset"))
    size = constant(binary("min", *map(_size, (target, offsets))), target, "its size")
    of = _source(emission, call, source)
    shift = str((source.buffer.dtype.bytes - 1).bit_length())

    def some(start: Scalar, count: int) -> None:
        places = scratch_row(emission, call, UINT32, count)
        emission.call("TSHRS", places, emission.tiles.run(offsets, start, count), shift)
        emission.barrier("V")
        emission.call("TGATHER", emission.tiles.run(target, start, count), of, places, places)

    _in_pieces(emission, size, some)


def _size(tile: Region) -> Scalar:
    return product(tile.extents)


def _in_pieces(emission: Pto, size: int, some: Callable[[Scalar, int], None]) -> None:
    """As many elements at a time as the scratch holds places for."""
    if size <= PLACES:
        some(0, size)
        return
    with emission.loop("part", size // PLACES) as part:
        some(binary("*", part, PLACES), PLACES)
        emission.barrier("V")
    if size % PLACES:
        some(size // PLACES * PLACES, size % PLACES)


def _source(emission: Pto, call: Call, source: Region) -> str:
    """The source, from its base address on."""
    base, type = call.arg("src_base_addr"), source.buffer.dtype
    if isinstance(base, int) and base == 0:
        return emission.tiles.row(source)
    at = binary("+", emission.tiles.address(source), base)
    kind = emission.type(source.buffer)
    shape = row_of(size_of(source), type)
    return emission.tiles.made(source.buffer, NAMES[Memory.UB], kind, shape, at)


@rule("gather_indices")
def gather_indices(emission: Pto, call: Call) -> None:
    """By the indices that a tile holds."""
    check_types(emission, call)
    target, source, places = (call.region(n) for n in ("dst", "src", "src1Pattern"))
    of, run = emission.tiles.row(source), emission.tiles.run

    def some(start: Scalar, count: int) -> None:
        tmp = scratch_row(emission, call, UINT32, count)
        emission.call("TGATHER", run(target, start, count), of, run(places, start, count), tmp)

    _in_pieces(emission, size_of(places), some)


@rule("gather_mask")
def gather_mask(emission: Pto, call: Call) -> None:
    """By a pattern, which is part of the type."""
    check_types(emission, call)
    to, of = (emission.tiles.row(call.region(name)) for name in ("dst", "src"))
    pattern = f"pto::MaskPattern::{call.choice('src1Pattern')}"
    emission.call(f"TGATHER<decltype({to}), decltype({of}), {pattern}>", to, of)


@rule("gatherb")
def gatherb(emission: Pto, call: Call) -> None:
    """Blocks follow each other in the result."""
    check_types(emission, call)
    names = ("repeat_time", "dst_blk_stride", "dst_rep_stride")
    repeats, block, repeat = (call.arg(name) for name in names)
    if not isinstance(repeats, int) or (block, repeat) != (1, BLOCKS):
        text = "route pto collects blocks one behind the other: strides of 1 and 8"
        raise Refusal("not-lowered", call.op.span, text)
    target, source, offsets = (call.region(n) for n in ("dst", "src0", "offset"))
    size = repeats * BLOCKS * block_elements(target.buffer.dtype)
    to, of = emission.tiles.row(target, size), emission.tiles.row(source)
    emission.call("TGATHERB", to, of, emission.tiles.row(offsets, repeats * BLOCKS))
