"""Tiles in L1 that several copies fill: which of them zeroes the tile, and what waits for that."""

from __future__ import annotations

import pytest
from tests.passes.test_sync_in_turns import synced

from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.nodes import Kernel, TileOp, walk_stmts

# Rows and columns of a tile of 64 x 64: first ones and how many; of a tensor of 60 x 64, from where on.
Part = tuple[tuple[int, int], tuple[int, int], int]
HALVES: list[Part] = [((0, 32), (0, 64), 0), ((32, 32), (0, 64), 0)]
QUARTERS: list[Part] = [
    ((row, 32), (column, 32), 0) for row, column in ((0, 0), (32, 32), (0, 32), (32, 0))
]
LESS: list[Part] = [((0, 32), (0, 64), 0), ((32, 16), (0, 64), 0)]
AT_THE_EDGE: list[Part] = [((0, 32), (0, 64), 0), ((32, 32), (0, 64), 32)]
IN_BLOCKS: list[Part] = [((0, 64), (0, 24), 0), ((0, 64), (24, 40), 0)]


def filled(parts: list[Part], between: str = "", height: int = 64) -> Kernel:
    b = KernelBuilder()
    a, c = b.tensor("A", (60, 64), "float16"), b.tensor("C", (64, 64), "float32")
    e = b.tensor("E", (64, 64), "float16")
    b.launch(1)
    tile, other = (b.alloc(name, (height, 64), "float16", "L1") for name in ("t", "o"))
    out = b.alloc("c", (height, height), "float32", "L0C")
    for at, (rows, columns, start) in enumerate(parts):
        b.op("copy", b.at(a, start, 0), b.part(tile, rows, columns))
        if at == 0 and between == "load":
            b.op("copy", b.part(e, (0, height), (0, 64)), other)
        if at == 0 and between == "product":
            b.op("gemm_v0", tile, tile, out, transpose_B=True, init=True)
    b.op("gemm_v0", tile, tile, out, transpose_B=True, init=True)
    b.op("copy", out, b.part(c, (0, height), (0, height)))
    return synced(b)


def calls(kernel: Kernel) -> list[TileOp]:
    return [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]


def clearing(kernel: Kernel) -> list[bool]:
    return [op.clears for op in calls(kernel) if op.form == "copy_gm_to_l1"]


def barriers(kernel: Kernel) -> int:
    return sum(op.op == "pipe_barrier" for op in calls(kernel))


@pytest.mark.parametrize("parts", [HALVES, QUARTERS])
def test_none_zeroes_a_tile_that_they_fill(parts: list[Part]) -> None:
    kernel = filled(parts)
    assert clearing(kernel) == [False] * len(parts)
    assert barriers(kernel) == 0


def test_other_loads_may_come_between() -> None:
    assert clearing(filled(HALVES, "load")) == [False] * 3


@pytest.mark.parametrize("parts", [LESS, AT_THE_EDGE, IN_BLOCKS])
def test_the_first_zeroes_what_they_may_leave(parts: list[Part]) -> None:
    assert clearing(filled(parts)) == [True, False]


def test_the_first_zeroes_what_is_read_before_the_rest_comes() -> None:
    assert clearing(filled(HALVES, "product")) == [True, False]


def test_the_first_zeroes_what_fractals_hold_beside_the_tile() -> None:
    parts: list[Part] = [((0, 16), (0, 64), 0), ((16, 24), (0, 64), 0)]
    assert clearing(filled(parts, height=40)) == [True, False]


@pytest.mark.parametrize("parts", [LESS, AT_THE_EDGE])
def test_a_tile_is_zero_before_the_first_copy_fills_its_part(parts: list[Part]) -> None:
    """The device call has a barrier between the two, so that others need none."""
    assert barriers(filled(parts)) == 0
