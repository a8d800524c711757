"""Whether a part of a tile in L1 or L0 is what the templates take: a run of whole fractals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.ir.addresses import FRACTAL, block_elements, matrix, shape_of
from tl_ascend.ir.affine import same
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.nodes import Kernel, Region
from tl_ascend.ir.storage import round_up
from tl_ascend.ir.text import show_region
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.common.emission import Emission


def consecutive(kernel: Kernel, tile: Region) -> bool:
    """True where the fractals of a region follow each other as in a tile of just its size: it is as
    long as the buffer along the inner order of fractals, or one fractal wide along the outer."""
    memory = kernel.memory(tile.buffer)
    rows, columns = matrix(shape_of(kernel, tile.buffer))
    high, wide = matrix(tile.extents)
    unit = FRACTAL if memory is Memory.L0C else block_elements(tile.buffer.dtype)
    if memory is Memory.L0A:  # rows of fractals: each as wide as the tile
        return _alike(wide, columns, unit) or _one(high, FRACTAL)
    if memory is Memory.L0B:
        return _alike(wide, columns, FRACTAL) or _one(high, unit)
    return _alike(high, rows, FRACTAL) or _one(wide, unit)


def whole_operands(emission: Emission, call: Call) -> tuple[Region, Region, Region]:
    """The three tiles of a product, each laid out as the templates expect. Errors: Refusal."""
    a, b, c = (call.region(name) for name in "ABC")
    check_types(emission, call)
    for tile in (a, b, c):
        if not consecutive(emission.kernel, tile):
            raise Refusal(
                "not-lowered",
                tile.span,
                f"{show_region(tile)} is cut out of a larger tile, and {call.form.name} reads "
                "fractals that follow each other",
                "Take all rows of the tile, or copy the part to a tile of its own.",
            )
    return a, b, c


def _alike(a: Scalar, b: Scalar, unit: int) -> bool:
    if isinstance(a, int) and isinstance(b, int):
        return round_up(a, unit) == round_up(b, unit)
    return same(a, b) is True


def _one(extent: Scalar, unit: int) -> bool:
    return isinstance(extent, int) and extent <= unit
