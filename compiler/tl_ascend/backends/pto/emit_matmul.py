"""Matrix products, and the order in which blocks walk them.

Tiles hold whole fractals: rows and columns beyond the operands are computed too and never moved out;
what K is padded with is 0, since the moves to L1 fill it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common import ordered
from tl_ascend.backends.common.fractals import whole_operands
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.views import constant
from tl_ascend.backends.pto.emit_math import FUNCTIONS
from tl_ascend.backends.pto.rules import rule, value_rule
from tl_ascend.backends.pto.tiles import NAMES, Shape
from tl_ascend.ir import expr
from tl_ascend.ir.addresses import FRACTAL, block_elements, matrix
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import round_up
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto

STEP = 128  # of K, in which the template walks it


def _tile(emission: Pto, region: Region, memory: Memory, rows: int, columns: int) -> str:
    """A tile of exactly the type that a template takes."""
    shape = Shape(rows, columns, rows, columns)
    declared = emission.tiles.shapes.get(region.buffer.uid) == shape
    start = all(isinstance(at, int) and at == 0 for at in region.starts)
    plain = declared and start and region.buffer.alias_of is None
    return emission.tiles.view(region, shape, name="" if plain else NAMES[memory])


def _sizes(call: Call, a: Region, c: Region, turned: list[bool]) -> tuple[int, int, int]:
    """M, N and K in whole fractals. Where K lies along the rows of both operands, blocks are whole
    enough: tiles of float32 may end with one, and what follows is another tile. Errors: Refusal."""
    m, n = (constant(size, c, "its size") for size in matrix(c.extents))
    k = constant(matrix(a.extents)[0 if turned[0] else 1], a, "its size")
    block = block_elements(a.buffer.dtype)
    unit = block if turned == [False, True] else max(block, FRACTAL)
    return round_up(m, FRACTAL), round_up(n, FRACTAL), round_up(k, unit)


def _check_room(tile: Region, k: int) -> None:
    """Errors: Refusal where K in whole fractals of the other operand leaves the rows of this one."""
    columns = matrix(tile.extents)[1]
    block = block_elements(tile.buffer.dtype)
    if isinstance(columns, int) and round_up(columns, block) < k:
        raise Refusal(
            "not-lowered",
            tile.span,
            f"K is {columns}: route pto walks {k}, and the rows of {tile.buffer.name} "
            f"({tile.buffer.dtype}) end before",
            f"Make K a multiple of {FRACTAL}, or transpose B and not A.",
        )


@rule("gemm_v0")
def gemm_v0(emission: Pto, call: Call) -> None:
    """The template moves A and B to L0 itself, so it gets the whole of both."""
    a, b, c = whole_operands(emission, call)
    turned = [call.flag(f"transpose_{name}") for name in "AB"]
    m, n, k = _sizes(call, a, c, turned)
    for tile, along_row in ((a, not turned[0]), (b, turned[1])):
        if along_row:
            _check_room(tile, k)
    tail = k - (k - 1) // STEP * STEP
    words = ", ".join("true" if t else "false" for t in turned) + ordered.argument(emission.kernel)
    types = f"{emission.type(a.buffer)}, {emission.type(c.buffer)}"
    left = _tile(emission, a, Memory.L1, *((k, m) if turned[0] else (m, k)))
    right = _tile(emission, b, Memory.L1, *((n, k) if turned[1] else (k, n)))
    result = _tile(emission, c, Memory.L0C, m, n)
    emission.call(
        f"tl::ascend_pto::gemm_v0<{types}, {m}, {n}, {k}, {m}, {n}, {k}, {tail}, {words}>",
        left,
        right,
        result,
        emission.values.condition(call.arg("init")),
    )


@rule("mma")
def mma(emission: Pto, call: Call) -> None:
    """One product of tiles in L0."""
    a, b, c = whole_operands(emission, call)
    m, n, k = _sizes(call, a, c, [False, False])
    types = f"{emission.type(a.buffer)}, {emission.type(c.buffer)}"
    left, right = _tile(emission, a, Memory.L0A, m, k), _tile(emission, b, Memory.L0B, k, n)
    result = _tile(emission, c, Memory.L0C, m, n)
    emission.call(
        f"tl::ascend_pto::mma<{types}, {m}, {n}, {k}>",
        left,
        right,
        result,
        emission.values.condition(call.arg("init")),
    )


@value_rule("use_swizzle")
def use_swizzle(emission: Pto, call: expr.Call) -> str:
    """By our own header: upstream's templates of this route know no such order."""
    emission.includes.add(FUNCTIONS)
    block, m, n, _, *others = call.args[:8]
    numbers = ", ".join(map(emission.values.index, (block, m, n, *others)))
    return f"tl::ascend_pto::thread_block_swizzle({numbers})"
