"""Where an element lies in its buffer: offsets in elements, layout by layout.

The cube's memories hold fractals, 16 rows of one 32-byte block (C0 elements); L0C counts 16
elements to a block whatever their type (CANN, fractal formats of matrix computation). What the
moves write is what counts: the move from GM to L1 always writes zN, whatever is annotated.
"""

from __future__ import annotations

from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Buffer, Kernel
from tl_ascend.ir.storage import root, round_up
from tl_ascend.target.dtypes import DType
from tl_ascend.target.hardware import Memory

FRACTAL = 16
BLOCK_BITS = 256


def block_elements(type: DType) -> int:
    """C0: elements of a type in one 32-byte block."""
    return BLOCK_BITS // type.bits


def shape_of(kernel: Kernel, buffer: Buffer) -> tuple[Scalar, ...]:
    """The shape as lowered for one core; of a view its own."""
    if buffer.alias_of is not None:
        return buffer.shape
    return kernel.placements[buffer.uid].shape


def matrix(shape: tuple[Scalar, ...]) -> tuple[Scalar, Scalar]:
    """Rows and columns of the tile that the last two dimensions are."""
    return (shape[-2] if len(shape) > 1 else 1), shape[-1]


def offset(kernel: Kernel, buffer: Buffer, starts: tuple[Scalar, ...]) -> Scalar:
    """The offset of an index in elements."""
    memory, shape = kernel.memory(root(buffer)), shape_of(kernel, buffer)
    if memory in (Memory.GM, Memory.UB, Memory.REGISTER):
        return _row_major(shape, starts)
    row, column = (starts[-2] if len(starts) > 1 else 0), starts[-1]
    inside, size = in_fractals(memory, buffer.dtype, (row, column), matrix(shape))
    version = _row_major(shape[:-2], starts[:-2])
    return _plus(_times(version, size), inside)


def in_fractals(
    memory: Memory, type: DType, at: tuple[Scalar, Scalar], size: tuple[Scalar, Scalar]
) -> tuple[Scalar, Scalar]:
    """The offset of an element (row, column) in a tile of fractals, and how many elements the tile has
    with all of its fractals."""
    return _FRACTAL_LAYOUTS[memory](*at, *size, row_elements(memory, type))


def row_elements(memory: Memory, type: DType) -> int:
    """Elements that lie side by side in a fractal."""
    return FRACTAL if memory is Memory.L0C else block_elements(type)


def _row_major(shape: tuple[Scalar, ...], starts: tuple[Scalar, ...]) -> Scalar:
    value: Scalar = 0
    for extent, start in zip(shape, starts, strict=True):
        value = _plus(_times(value, extent), start)
    return value


def _plus(a: Scalar, b: Scalar) -> Scalar:
    return binary("+", a, b)


def _times(a: Scalar, b: Scalar) -> Scalar:
    return binary("*", a, b)


def _up(value: Scalar, unit: int) -> Scalar:
    """A size rounded up to whole units."""
    if isinstance(value, int):
        return round_up(value, unit)
    return _times(binary("//", _plus(value, unit - 1), unit), unit)


_Inside = tuple[Scalar, Scalar]


def _zn(row: Scalar, column: Scalar, rows: Scalar, columns: Scalar, unit: int) -> _Inside:
    """Columns of blocks, each all rows high (L1, L0C)."""
    high = _up(rows, FRACTAL)
    block = _times(binary("//", column, unit), _times(high, unit))
    inside = _plus(_times(row, unit), binary("%", column, unit))
    return _plus(block, inside), _times(high, _up(columns, unit))


def _nz(row: Scalar, column: Scalar, rows: Scalar, columns: Scalar, unit: int) -> _Inside:
    """The same with rows and columns exchanged (L0B)."""
    return _zn(column, row, columns, rows, unit)


def _zz(row: Scalar, column: Scalar, rows: Scalar, columns: Scalar, unit: int) -> _Inside:
    """Rows of fractals (L0A)."""
    wide = _up(columns, unit)
    band = _times(binary("//", row, FRACTAL), _times(wide, FRACTAL))
    fractal = _times(binary("//", column, unit), FRACTAL * unit)
    inside = _plus(_times(binary("%", row, FRACTAL), unit), binary("%", column, unit))
    return _plus(_plus(band, fractal), inside), _times(_up(rows, FRACTAL), wide)


_FRACTAL_LAYOUTS = {Memory.L1: _zn, Memory.L0A: _zz, Memory.L0B: _nz, Memory.L0C: _zn}
