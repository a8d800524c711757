"""A division is rounded up on its own only where all rows are written afterwards."""

from __future__ import annotations

import pytest
from tests.cli.support import Tool, write

ROUNDED = """import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def rows(M, size):
    tiles = {tiles}
    {more}

    @T.prim_func
    def main(A: T.Tensor((M, 64), "float32"), B: T.Tensor((M, 64), "float32")):
        with T.Kernel({blocks}, is_npu=True) as (cid, vid):
            a = T.alloc_ub((size, 64), "float32")
            with T.Scope("V"):
                T.copy(A[(cid * 2 + vid) * size, 0], a)
                T.barrier_all()
                {guard}T.copy(a, B[(cid * 2 + vid) * size, 0])

    return main


rows(1000, 16)
"""
UP = "T.ceildiv(M, size * 2)"


@pytest.mark.parametrize(
    ("blocks", "more"), [("tiles", "pass"), ("count", "count = tiles"), ("tiles * 1", "pass")]
)
def test_a_count_of_blocks_is_rounded_up(tool: Tool, blocks: str, more: str) -> None:
    path = write(
        "k.py", ROUNDED.format(tiles="M // (size * 2)", blocks=blocks, more=more, guard="")
    )
    assert "the last 8 rows of B are never written" in tool("k.py").out
    assert tool("k.py", "--fix").status == 0
    assert path.read_text() == ROUNDED.format(tiles=UP, blocks=blocks, more=more, guard="")


@pytest.mark.parametrize(
    ("blocks", "more"),
    [
        ("tiles // 2", "pass"),
        ("half", "half = tiles // 2"),
        ("whole // 2", "whole = tiles + 0"),
        ("tiles >> 1", "pass"),
        ("int(tiles / 2)", "pass"),
        ("min(tiles, 62) // 2", "pass"),
        ("min(half, 31)", "half = T.ceildiv(tiles, 2)"),
    ],
)
def test_a_count_that_is_rounded_again_is_not_rounded_up(
    tool: Tool, blocks: str, more: str
) -> None:
    """Of 63 tiles in pairs the last one would be left out as well, and of 62 none is."""
    text = ROUNDED.format(tiles="M // size", blocks=blocks, more=more, guard="")
    path = write("k.py", text)
    assert "the last 8 rows of B are never written" in tool("k.py").out
    tool("k.py", "--fix")
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("blocks", "guard"),
    [("31", ""), ("tiles", "if cid * 2 + vid < M // size: "), ("tiles", "if cid < 31: ")],
)
def test_a_count_that_does_not_reach_the_rest_is_not_rounded_up(
    tool: Tool, blocks: str, guard: str
) -> None:
    """Where the number of blocks is another, or a branch keeps the last one from writing."""
    text = ROUNDED.format(tiles="M // (size * 2)", blocks=blocks, more="pass", guard=guard)
    path = write("k.py", text)
    assert "the last 8 rows of B are never written" in tool("k.py").out
    tool("k.py", "--fix")
    assert path.read_text() == text
