"""Sorting: values with their indices, by groups of 32."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.operands import hidden
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.common.views import constant, product
from tl_ascend.backends.pto.emit_vector import scratch_row, size_of
from tl_ascend.backends.pto.rules import rule
from tl_ascend.ir.affine import interval
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import round_up

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto

GROUP = 32


def _sort(emission: Pto, call: Call, total: int, best: int) -> None:
    """Upstream's template, which sorts as floats; with a count that only the device knows its other
    one. `best`: how many pairs are wanted, -1 for all."""
    target, source, size = call.region("dst"), call.region("src"), call.arg("actual_num")
    kind, addresses = emission.type(target.buffer), (target, source, hidden(call))
    places = [emission.values.index(emission.tiles.address(region)) for region in addresses]
    if isinstance(size, int):
        given = f"<{kind}, {total}, {int(size)}, {best}>"
        emission.call(f"tl::ascend_pto::Sort{given}", *places)
        return
    given = f"<{kind}, {total}, {best}>"
    emission.call(f"tl::ascend_pto::SortDynamic{given}", *places, emission.values.index(size))


@rule("sort")
def sort(emission: Pto, call: Call) -> None:
    """Whole groups that hold what counts."""
    check_types(emission, call)
    size = call.arg("actual_num")
    most = int(size) if isinstance(size, int) else interval(size)[1] or size_of(call.region("src"))
    _sort(emission, call, round_up(most, GROUP), -1)


@rule("topk")
def topk(emission: Pto, call: Call) -> None:
    """All of the source is sorted, whatever part of it counts."""
    check_types(emission, call)
    best = call.arg("K")
    total = round_up(size_of(call.region("src")), GROUP)
    _sort(emission, call, total, constant(best, call.region("src"), "K"))


@rule("sort32")
def sort32(emission: Pto, call: Call) -> None:
    check_types(emission, call)
    tiles = [call.region(name) for name in ("dst", "src0", "src1")]
    size = size_of(tiles[1]) // GROUP * GROUP
    pair = 64 // tiles[0].buffer.dtype.bits
    names = [
        emission.tiles.row(t, n) for t, n in zip(tiles, (pair * size, size, size), strict=True)
    ]
    emission.call("TSORT32", *names)


@rule("merge_sort")
def merge_sort(emission: Pto, call: Call) -> None:
    """Sources of one length have a template of their own."""
    check_types(emission, call)
    given = [call.arg(f"src{at}") for at in range(4)]
    sources = [tile for tile in given if isinstance(tile, Region)]
    if len(sources) < 2 or sources != given[: len(sources)]:
        raise Refusal("not-lowered", call.op.span, "T.tile.merge_sort takes two to four sources")
    target = call.region("dst")
    sizes = [constant(product(tile.extents), tile, "its size") for tile in sources]
    total, type = sum(sizes), target.buffer.dtype
    to, tmp = emission.tiles.row(target, total), scratch_row(emission, call, type, total)
    kind = emission.type(target.buffer)
    if len(set(sizes)) == 1:
        function = f"tl::ascend_pto::MergeSort<{kind}, {sizes[0]}, {total}>"
    else:
        function = f"tl::ascend_pto::MergeSortVar<{kind}, {', '.join(map(str, sizes))}, {total}>"
    emission.call(function, to, tmp, *map(emission.tiles.row, sources))
