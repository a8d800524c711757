"""Ways out that notes propose."""

from __future__ import annotations

import pytest
from tests.harness.compare import analyse

THROUGH = """import tilelang
import tilelang.language as T

P = tilelang.PassConfigKey


@tilelang.jit(pass_configs={
    P.TL_ASCEND_AUTO_CV_SYNC: True, P.TL_ASCEND_AUTO_CV_COMBINE: True, P.TL_ASCEND_AUTO_SYNC: True
})
def through(n):
    @T.prim_func
    def main(
        A: T.Tensor((n, 64), "float16"),
        first: T.Tensor((n, 64), "float32"),
        second: T.Tensor((n, 64), "float32"),
        THIRD: T.Tensor((n, 64), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            u = T.alloc_ub((32, 64), "float32")
            T.copy(A[0, 0], a)
            T.gemm_v0(a, a, c, init=True)
            T.copy(c, first[0, 0])
            T.copy(c, second[0, 0])
            T.copy(first[vid * 32, 0], u)
            T.tile.exp(u, u)
            T.copy(u, THIRD[vid * 32, 0])
            T.copy(second[vid * 32, 0], u)
            T.tile.exp(u, u)
            T.copy(u, THIRD[vid * 32, 0])

    return main


through(64)
"""


@pytest.mark.parametrize(("third", "wanted"), [("C", "12"), ("workspace_1", "23")])
def test_each_workspace_gets_a_name_of_its_own(third: str, wanted: str) -> None:
    found = analyse("/case/kernel.py", THROUGH.replace("THIRD", third), "A3").diagnostics
    notes = [note for one in found if one.code == "TL403" for note in one.notes]
    assert [note.split(",")[0] for note in notes] == [f"Call it workspace_{n}" for n in wanted]
