"""Matrix products, and the order in which blocks walk them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tl_ascend.backends.ascendc.rules import rule, value_rule
from tl_ascend.backends.common import ordered
from tl_ascend.backends.common.fractals import whole_operands
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.views import constant
from tl_ascend.ir import expr
from tl_ascend.ir.addresses import matrix

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission


@rule("gemm_v0")
def gemm_v0(emission: Emission, call: Call) -> None:
    """The template moves A and B to L0 itself, so it gets the whole of both."""
    a, b, c = whole_operands(emission, call)
    turned = [call.flag(f"transpose_{name}") for name in "AB"]
    m, n = (constant(size, c, "its size") for size in matrix(c.extents))
    depth = matrix(a.extents)[0 if turned[0] else 1]
    k = constant(depth, a, "its size")
    words = ", ".join("true" if t else "false" for t in turned) + ordered.argument(emission.kernel)
    types = f"{emission.type(a.buffer)}, {emission.type(c.buffer)}"
    emission.call(
        f"tl::ascend::gemm_v0<{types}, {m}, {n}, {k}, {words}>",
        *map(emission.pointer, (a, b, c)),
        "ascend_l0a",
        "ascend_l0b",
        emission.values.condition(call.arg("init")),
    )


@rule("mma")
def mma(emission: Emission, call: Call) -> None:
    """One product of tiles in L0."""
    a, b, c = whole_operands(emission, call)
    m, n = (constant(size, c, "its size") for size in matrix(c.extents))
    types = f"{emission.type(a.buffer)}, {emission.type(c.buffer)}"
    emission.call(
        f"tl::ascend::mma<{types}, {m}, {n}>",
        *map(emission.pointer, (a, b, c)),
        emission.values.condition(call.arg("init")),
        emission.values.index(matrix(a.extents)[1]),
    )


@value_rule("use_swizzle")
def use_swizzle(emission: Emission, call: expr.Call) -> str:
    """The number of the block that this one stands in for."""
    block, *sizes = call.args[:8]
    numbers = ", ".join(str(_number(emission, size)) for size in sizes)
    return f"tl::ascend::thread_block_swizzle<{numbers}>({emission.values.index(block)})"


def _number(emission: Emission, value: Any) -> int:
    if isinstance(value, int):
        return value
    assert emission.values.at is not None
    text = "the sizes of T.use_swizzle must be known when the kernel is compiled"
    raise Refusal("dynamic-shape", emission.values.at, text)
