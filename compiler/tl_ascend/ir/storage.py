"""Sizes and identities of buffers: what planning, checks, text and emission agree on."""

from __future__ import annotations

from typing import Any

from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Alloc, Buffer, Kernel, Placement, Region, walk_stmts
from tl_ascend.target.hardware import Memory

ON_CHIP = (Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C, Memory.UB)
# A block in bytes, to which upstream's planner aligns in every memory; a row of a fractal is one.
BLOCK = 32
FRACTAL = 16  # rows


def root(buffer: Buffer) -> Buffer:
    """The buffer whose storage this one uses."""
    while buffer.alias_of is not None:
        buffer = buffer.alias_of
    return buffer


def buffers(kernel: Kernel) -> list[Buffer]:
    """Buffers with storage of their own, the author's in order of declaration, then scratch."""
    found: dict[int, Buffer] = {}
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, Alloc) and stmt.buffer.alias_of is None:
            found.setdefault(stmt.buffer.uid, stmt.buffer)
    for buffer in kernel.scratch:
        found.setdefault(buffer.uid, buffer)
    return list(found.values())


def elements(shape: tuple[Any, ...]) -> int | None:
    """The product of a shape; None where it is symbolic."""
    count = 1
    for extent in shape:
        if isinstance(extent, Expr) or not isinstance(extent, int):
            return None
        count *= extent
    return count


def bits_to_bytes(count: int, bits: int) -> int:
    return (count * bits + 7) // 8


def placed_bytes(buffer: Buffer, place: Placement) -> int | None:
    """Bytes of a buffer as lowered for one core; None where its shape is symbolic."""
    count = elements(place.shape)
    return None if count is None else bits_to_bytes(count, buffer.dtype.bits)


def fractal_bytes(buffer: Buffer, place: Placement) -> int | None:
    """Bytes that transfers and the matrix unit touch of a tile in L1 or L0, in all of its versions:
    whole fractals, 16 rows of 32 bytes (in L0B 16 columns, in L0C 16 of both). None where its shape is
    symbolic."""
    plain = placed_bytes(buffer, place)
    bits = buffer.dtype.bits
    if plain is None or len(place.shape) < 2 or 8 * BLOCK % bits:
        return plain
    rows, columns = int(place.shape[-2]), int(place.shape[-1])
    block = 8 * BLOCK // bits
    units = {
        Memory.L1: (FRACTAL, block),
        Memory.L0A: (FRACTAL, block),
        Memory.L0B: (block, FRACTAL),
        Memory.L0C: (FRACTAL, FRACTAL),
    }.get(place.memory)
    if units is None:
        return plain
    whole = round_up(rows, units[0]) * round_up(columns, units[1])
    versions = elements(place.shape[:-2]) or 0
    return bits_to_bytes(versions * whole, bits)


def region_elements(region: Region) -> int | None:
    """How many elements a region selects; None where that is symbolic."""
    return elements(region.extents)


def round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
