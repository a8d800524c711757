"""tl-check --fix on products and pitches."""

from __future__ import annotations

import pytest
from tests.cli.support import Tool, write

PRODUCT = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float")
        with T.Scope("C"):
            T.copy(A, a)
            T.barrier_all()
            {call}
            T.barrier_all()
            T.copy(c, C)
"""


LOOP = "for k in T.serial(2):\n"
NESTED = "                for j in T.serial(2):\n                    T.gemm_v0(a, a, c)"
STEP = "                T.gemm_v0(a, a, c{})\n"
BRANCH = (
    "                if {}:\n                    T.gemm_v0(a, a, c{})\n"
    "                else:\n                    T.gemm_v0(a, a, c{})\n"
)
BROKEN = "T.gemm_v0(a, a, (c){},  # )\n            )"


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("T.gemm_v0(a, a, c)", "T.gemm_v0(a, a, c, init=True)"),
        (BROKEN.format(""), BROKEN.format(", init=True")),
        ("T.gemm_v0(a, a, c, init=False)", "T.gemm_v0(a, a, c, init=True)"),
        (LOOP + STEP.format(", init=(k == 9)"), LOOP + STEP.format(", init=(k == 0)")),
        (LOOP + STEP.format(", init=( k == 9 )"), LOOP + STEP.format(", init=( k == 0 )")),
        (LOOP + STEP.format(", init=k == 9"), LOOP + STEP.format(", init=(k == 0)")),
        (
            LOOP + STEP.format(", False, False, (False)"),
            LOOP + STEP.format(", False, False, (k == 0)"),
        ),
        ("T.gemm_v0(A=a, B=a, C=c)", "T.gemm_v0(A=a, B=a, C=c, init=True)"),
        ("T.gemm_v0(*(a, a, c))", ""),
        (LOOP + NESTED, ""),
        (
            LOOP + STEP.format("") + STEP.format(""),
            LOOP + STEP.format(", init=(k == 0)") + STEP.format(""),
        ),
        ("if C[0, 0] == 0:\n                T.gemm_v0(a, a, c)", ""),
        (
            LOOP + BRANCH.format("k == 0", "", ""),
            LOOP + BRANCH.format("k == 0", ", init=(k == 0)", ""),
        ),
        (
            LOOP + BRANCH.format("k > 0", "", ""),
            LOOP + BRANCH.format("k > 0", "", ", init=(k == 0)"),
        ),
        (LOOP + BRANCH.format("C[k, 0] == 0", "", ""), ""),
    ],
)
def test_the_first_product_sets_the_accumulator(tool: Tool, call: str, wanted: str) -> None:
    path = write("k.py", PRODUCT.replace("{call}", call))
    tool("k.py", "--fix")
    assert path.read_text() == PRODUCT.replace("{call}", wanted or call)


NARROW = """import tilelang.language as T


@T.prim_func
def main(
    A: T.Tensor((64, 126), "float32"), B: T.Tensor((64, 126), "float32"), S: T.Tensor((4,), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((4, WIDTH), "float32")
        b = T.alloc_ub((4,), "float32")
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.barrier_all()
            {use}
            T.barrier_all()
            T.copy(b, S)
"""


@pytest.mark.parametrize(
    ("width", "use"),
    [
        ("126", "T.reduce_sum(a, b, dim=-1)"),  # would add up the padding
        ("126", "T.copy(a[0, :], B[0, 0:126])"),
        ('len("a" * 126)', "T.copy(a, B[0, 0])"),  # no name for it
    ],
)
def test_a_pitch_is_left_where_more_hangs_on_it(tool: Tool, width: str, use: str) -> None:
    text = NARROW.replace("WIDTH", width).replace("{use}", use)
    path = write("k.py", text)
    assert "TL205" in tool("k.py", "--fix").out
    assert path.read_text() == text


NAMED = """import tilelang.language as T


def rows(N, dtype):
    @T.prim_func
    def main(A: T.Tensor((64, N), dtype), B: T.Tensor((64, N), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, {length}), dtype)
            with T.Scope("V"):
                T.copy(A[vid * 32, 0], a{part})
                T.barrier_all()
                T.tile.exp(a, a)
                T.barrier_all()
                T.copy(a{part}, B[vid * 32, 0])

    return main


rows(100, "float16")
rows(128, "float16")
"""


@pytest.mark.parametrize("length", ["N", "2 * (N // 2)"])
def test_a_pitch_that_has_a_name_is_padded_by_that_name(tool: Tool, length: str) -> None:
    path = write("k.py", NAMED.format(length=length, part=""))
    assert "TL205" in tool("k.py").out
    assert tool("k.py", "--fix").status == 0
    wide = f"T.ceildiv({length}, 16) * 16"
    assert path.read_text() == NAMED.format(length=wide, part=f"[:, 0:{length}]")
