"""Offsets of elements against the formats of the cube's memories, written out fractal by fractal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tl_ascend.backends.common.fractals import consecutive
from tl_ascend.backends.common.views import Rows, contiguous, rows_of
from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.addresses import block_elements, offset
from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.nodes import Buffer, Kernel
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import lower


def placed(scope: str, shape: tuple[int, ...], kind: str) -> tuple[Kernel, Buffer, KernelBuilder]:
    builder = KernelBuilder()
    builder.launch(1)
    buffer = builder.alloc("tile", shape, kind, scope)
    kernel = lower(builder.build(), LowerOptions(), Report(), until="infer-scopes")
    return kernel, buffer, builder


def fractals(scope: str, rows: int, columns: int, unit: int) -> Iterator[tuple[int, int]]:
    """The elements of a tile in the order of memory (pages on fractal formats)."""
    high = -(-rows // 16) * 16
    if scope in ("L1", "L0C"):  # columns of blocks from top to bottom
        for column in range(0, -(-columns // unit) * unit, unit):
            yield from ((row, column + at) for row in range(high) for at in range(unit))
    elif scope == "L0A":  # rows of fractals, each row-major
        for row in range(0, high, 16):
            for column in range(0, -(-columns // unit) * unit, unit):
                yield from ((row + r, column + c) for r in range(16) for c in range(unit))
    else:  # L0B: rows of fractals of unit x 16, each column-major
        for row in range(0, -(-rows // unit) * unit, unit):
            for column in range(0, -(-columns // 16) * 16, 16):
                yield from ((row + r, column + c) for c in range(16) for r in range(unit))


@pytest.mark.parametrize("kind", ["float16", "float32", "int8"])
@pytest.mark.parametrize("scope", ["L1", "L0A", "L0B", "L0C"])
@pytest.mark.parametrize("shape", [(32, 64), (48, 32), (2, 16, 96), (17, 40)])
def test_offsets_follow_the_format(scope: str, shape: tuple[int, ...], kind: str) -> None:
    kernel, buffer, _ = placed(scope, shape, kind)
    unit = 16 if scope == "L0C" else block_elements(buffer.dtype)
    rows, columns = shape[-2:]
    order = list(fractals(scope, rows, columns, unit))
    for version in range(shape[0] if len(shape) == 3 else 1):
        lead = (version,) if len(shape) == 3 else ()
        for at, (row, column) in enumerate(order):
            if row < rows and column < columns:
                assert offset(kernel, buffer, (*lead, row, column)) == version * len(order) + at


def test_row_major_in_the_ub() -> None:
    kernel, buffer, _ = placed("UB", (2, 3, 64), "float32")
    assert offset(kernel, buffer, (1, 2, 5)) == 1 * 192 + 2 * 64 + 5


def test_parts_of_fractal_tiles() -> None:
    kernel, buffer, builder = placed("L1", (64, 128), "float16")
    assert consecutive(kernel, builder.part(buffer, (0, 64), (32, 16)))
    assert not consecutive(kernel, builder.part(buffer, (0, 32), (0, 64)))
    assert consecutive(kernel, builder.part(buffer, (16, 32), (32, 16)))
    kernel, buffer, builder = placed("L0A", (64, 128), "float16")
    assert consecutive(kernel, builder.part(buffer, (16, 32), (0, 128)))
    assert not consecutive(kernel, builder.part(buffer, (0, 64), (0, 64)))


def test_rows_of_ub_tiles() -> None:
    kernel, buffer, builder = placed("UB", (4, 8, 64), "float32")
    whole = builder.whole(buffer)
    assert contiguous(kernel, whole) and rows_of(kernel, whole) == Rows(32, 64, 64)
    assert rows_of(kernel, builder.part(buffer, 1, (0, 8), (0, 32))) == Rows(8, 32, 64)
    assert rows_of(kernel, builder.part(buffer, (0, 4), (0, 8), (0, 16))) == Rows(32, 16, 64)
    assert rows_of(kernel, builder.part(buffer, (0, 4), 3, (0, 64))) == Rows(4, 64, 512)
    assert rows_of(kernel, builder.part(buffer, (0, 4), (0, 2), (0, 16))) is None
    assert not contiguous(kernel, builder.part(buffer, (0, 4), (0, 2), (0, 64)))
    assert contiguous(kernel, builder.part(buffer, 2, (0, 8), (0, 64)))
