"""What Python, math and numpy make of sizes that are symbols."""

from __future__ import annotations

import pytest

from tl_ascend.driver.check import Checker
from tl_ascend.driver.files import Files
from tl_ascend.ir.text import show

KERNEL = """import math
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def rows(M):
    @T.prim_func
    def main(A: T.Tensor((M, 64), "float32"), B: T.Tensor((M, 64), "float32")):
        with T.Kernel({blocks}, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            T.copy(A[cid * 16, 0], a)

    return main
"""
UP, DOWN = "(M + 64 - 1) // 64", "M // 64"


def evaluated(blocks: str) -> tuple[str, str]:
    """The blocks of a kernel, and why it is not checked."""
    files = Files()
    files.set_text("case.py", KERNEL.replace("{blocks}", blocks))
    (kernel,) = Checker(files).check("case.py").kernels
    assert kernel.kernel.launch is not None
    return show(kernel.kernel.launch.blocks), kernel.reason


@pytest.mark.parametrize(
    ("blocks", "wanted"),
    [
        ("math.ceil(M / 64)", UP),
        ("int(math.ceil(M / 64))", UP),
        ("int(np.ceil(M / 64))", UP),
        ("math.ceil(M / 32 / 2)", UP),
        ("-(-M // 64)", UP),
        ("math.ceil(M)", "M"),
        ("math.floor(M / 64)", DOWN),
        ("int(M / 64)", DOWN),
        ("math.trunc(M / 64)", DOWN),
        ("divmod(M, 64)[0]", DOWN),
        ("round(M) // 64", DOWN),
        ("math.prod((M, 2)) // 64", "M * 2 // 64"),
        ("np.prod([M, 2]) // 64", "M * 2 // 64"),
        ("pow(M, 2) // 64", "M ** 2 // 64"),
        ("np.maximum(M // 64, 1)", "max(M // 64, 1)"),
    ],
)
def test_quotients_and_products(blocks: str, wanted: str) -> None:
    assert evaluated(blocks) == (wanted, "")


@pytest.mark.parametrize(
    ("blocks", "reason"),
    [
        ("round(M / 64)", "round()"),
        ("int((M - 100) / 64)", "int()"),
        ("int(M * 0.5)", "int()"),
        ("math.gcd(M, 64)", "math.gcd"),
        ("int(math.log2(M))", "math.log2"),
    ],
)
def test_what_is_not_known_is_named(blocks: str, reason: str) -> None:
    assert reason in evaluated(blocks)[1]


def test_a_declared_symbol_is_multiplied_too() -> None:
    blocks = 'math.prod((T.symbolic("S"), 2))'
    assert evaluated(blocks) == ("S * 2", "")
