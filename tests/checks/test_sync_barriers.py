"""Where the author orders with barriers, one that is missing is one finding."""

from __future__ import annotations

import pytest
from tests.harness.compare import analyse

from tl_ascend.ide.fixing import edited

PATH = "/case/kernel.py"
TEXT = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((2560, 256), "float16"), C: T.Tensor((2560, 256), "float16")):
    with T.Kernel(20, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 8, 256), "float16")
        w = cid * 2 + vid
        with T.Scope("V"):
            for t in T.serial(8):
                T.copy(A[(t * 40 + w) * 8, 0], x[0, :, :])
                T.barrier_all()  # 1
                T.tile.exp(x[1, :, :], x[0, :, :])
                T.barrier_all()  # 2
                T.copy(x[1, :, :], C[(t * 40 + w) * 8, 0])
"""


@pytest.mark.parametrize("number", [1, 2])
def test_a_missing_barrier_is_one_finding(number: int) -> None:
    wrong = TEXT.replace(f"T.barrier_all()  # {number}", "pass")
    (one,) = [d for d in analyse(PATH, wrong, "A3").diagnostics if d.severity >= 3]
    assert wrong.splitlines()[one.range.start.row - 2].strip() == "pass"
    assert one.notes[0].startswith("Add T.barrier_all() before this")
    assert one.fixes[0].safe
    again = analyse(PATH, edited(PATH, wrong, one.fixes[0].edits), "A3").diagnostics
    assert not [d for d in again if d.severity >= 3]
