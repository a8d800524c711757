"""Whether a part of a tile in L1 or L0 is what the templates take: a run of whole fractals."""

from __future__ import annotations

from tl_ascend.backends.common.addresses import FRACTAL, block_elements, matrix, shape_of
from tl_ascend.ir.affine import same
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.nodes import Kernel, Region
from tl_ascend.ir.storage import round_up
from tl_ascend.target.hardware import Memory


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


def _alike(a: Scalar, b: Scalar, unit: int) -> bool:
    if isinstance(a, int) and isinstance(b, int):
        return round_up(a, unit) == round_up(b, unit)
    return same(a, b) is True


def _one(extent: Scalar, unit: int) -> bool:
    return isinstance(extent, int) and extent <= unit
