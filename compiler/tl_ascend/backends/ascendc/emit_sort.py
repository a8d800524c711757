"""Sorting: values with their indices, by groups of 32."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.ascendc.templates import scratch
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.common.views import constant, product
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Region

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission

GROUP = 32


def _groups(count: Scalar) -> Scalar:
    """Groups of 32 that hold so many elements."""
    return binary("//", binary("+", count, GROUP - 1), GROUP)


@rule("sort")
def sort(emission: Emission, call: Call) -> None:
    check_types(emission, call)
    target, source = call.region("dst"), call.region("src")
    count = call.arg("actual_num")
    emission.call(
        f"tl::ascend::Sort<{emission.type(target.buffer)}>",
        emission.pointer(target),
        emission.pointer(source),
        scratch(emission, call),
        emission.values.index(_groups(count)),
        emission.values.index(count),
    )


@rule("topk")
def topk(emission: Emission, call: Call) -> None:
    """All of the source is sorted, whatever part of it counts."""
    check_types(emission, call)
    target, source = call.region("dst"), call.region("src")
    size = constant(product(source.extents), source, "its size")
    emission.call(
        f"tl::ascend::TopK<{emission.type(target.buffer)}>",
        emission.pointer(target),
        emission.pointer(source),
        scratch(emission, call),
        emission.values.index(call.arg("K")),
        emission.values.index(_groups(size)),
        emission.values.index(call.arg("actual_num")),
    )


@rule("sort32")
def sort32(emission: Emission, call: Call) -> None:
    check_types(emission, call)
    source = call.region("src0")
    groups = binary("//", product(source.extents), GROUP)
    operands = (call.region(name) for name in ("dst", "src0", "src1"))
    pointers = map(emission.pointer, operands)
    emission.call("AscendC::Sort32", *pointers, emission.values.index(groups))


@rule("merge_sort")
def merge_sort(emission: Emission, call: Call) -> None:
    """Lengths count pairs of a value and its index."""
    check_types(emission, call)
    given = [call.arg(f"src{at}") for at in range(4)]
    sources = [tile for tile in given if isinstance(tile, Region)]
    if len(sources) < 2 or sources != given[: len(sources)]:
        raise Refusal("not-lowered", call.op.span, "T.tile.merge_sort takes two to four sources")
    pairs = [binary("//", product(tile.extents), 2) for tile in sources]
    target = call.region("dst")
    emission.call(
        f"tl::ascend::MergeSort<{emission.type(target.buffer)}>",
        emission.pointer(target),
        scratch(emission, call),
        *map(emission.pointer, sources),
        *map(emission.values.index, pairs),
    )
