"""Flags that are missing between statements of different loops and branches: the fix puts them where
both happen equally often."""

from __future__ import annotations

import pytest
from tests.harness.compare import analyse

from tl_ascend.ide.fixing import edited

PATH = "/case/kernel.py"
HEAD = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 128), "float32"), C: T.Tensor((64, 128), "float32"), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 128), "float32")
        y = T.alloc_ub((8, 128), "float32")
        with T.Scope("V"):
"""
# Each `#` is a place where a call belongs.
CASES = {
    "before a loop": """
T.copy(A[0, 0], x)
T.set_flag("mte2", "v", 1) #
T.wait_flag("mte2", "v", 1) #
for i in T.serial(8):
    T.tile.exp(x[i, :], x[i, :])
T.barrier_all()
T.copy(x, C[0, 0])
""",
    "behind a loop": """
for i in T.serial(8):
    T.copy(A[i, 0], x[i, :])
T.set_flag("mte2", "v", 1) #
T.wait_flag("mte2", "v", 1) #
T.tile.exp(x, x)
T.barrier_all()
T.copy(x, C[0, 0])
""",
    "two loops": """
for i in T.serial(8):
    T.copy(A[i, 0], x[i, :])
T.set_flag("mte2", "v", 1) #
T.wait_flag("mte2", "v", 1) #
for i in T.serial(8):
    T.tile.exp(x[i, :], x[i, :])
T.barrier_all()
T.copy(x, C[0, 0])
""",
    "in a loop": """
for k in T.serial(4):
    for i in T.serial(8):
        T.copy(A[k * 8 + i, 0], x[i, :])
    T.set_flag("mte2", "v", 1) #
    T.wait_flag("mte2", "v", 1) #
    T.tile.exp(y, x)
    T.barrier_all()
    T.copy(y, C[k * 8, 0])
    T.barrier_all()
""",
    "in a branch": """
T.copy(A[0, 0], x)
T.set_flag("mte2", "v", 1) #
T.wait_flag("mte2", "v", 1) #
if n > 4:
    T.tile.exp(x, x)
T.barrier_all()
T.copy(x, C[0, 0])
""",
    "behind a branch": """
if n > 4:
    T.copy(A[0, 0], x)
else:
    T.copy(A[8, 0], x)
T.set_flag("mte2", "v", 1) #
T.wait_flag("mte2", "v", 1) #
T.tile.exp(x, x)
T.barrier_all()
T.copy(x, C[0, 0])
""",
    "several before": """
for i in T.serial(8):
    T.copy(A[i, 0], x[i, :])
T.copy(A[8, 0], y)
T.set_flag("mte2", "v", 1) #
T.wait_flag("mte2", "v", 1) #
for i in T.serial(8):
    T.tile.add(x[i, :], x[i, :], y[i, :])
T.barrier_all()
T.copy(x, C[0, 0])
""",
}


@pytest.mark.parametrize("body", CASES.values(), ids=CASES)
def test_a_flag_goes_where_both_happen_equally_often(body: str) -> None:
    lines = [" " * 12 + line for line in body.strip().splitlines()]
    right = HEAD + "\n".join(lines) + "\n"
    wrong = HEAD + "".join(f"{line}\n" for line in lines if "#" not in line)
    errors = [d for d in analyse(PATH, wrong, "A3").diagnostics if d.severity >= 3]
    (one,) = errors
    assert one.code == "TL406"
    assert one.fixes[0].safe
    assert edited(PATH, wrong, one.fixes[0].edits) == right.replace(" #", "")
    assert not [d for d in analyse(PATH, right, "A3").diagnostics if d.severity >= 3]


MACRO = """import tilelang.language as T


@T.macro
def taken(src, x, ev):
    T.copy(src, x)
    T.set_flag("mte2", "v", 1) #
    T.wait_flag("mte2", "v", 1) #
    T.tile.exp(x, x)
    T.set_flag("v", "mte3", ev)
    T.wait_flag("v", "mte3", ev)


@T.prim_func
def main(A: T.Tensor((64, 128), "float32"), C: T.Tensor((64, 128), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 128), "float32")
        y = T.alloc_ub((16, 128), "float32")
        with T.Scope("V"):
            taken(A[0:16, 0:128], x, 2)
            taken(A[16:32, 0:128], y, 3)
            T.copy(x, C[0, 0])
            T.copy(y, C[16, 0])
"""


def test_a_flag_that_each_call_of_a_macro_lacks_goes_into_the_macro() -> None:
    wrong = "".join(f"{line}\n" for line in MACRO.splitlines() if "#" not in line)
    (one,) = [d for d in analyse(PATH, wrong, "A3").diagnostics if d.severity >= 3]
    assert one.code == "TL406" and one.fixes[0].safe
    assert edited(PATH, wrong, one.fixes[0].edits) == MACRO.replace(" #", "")


def test_no_fix_in_a_macro_of_which_one_call_needs_none() -> None:
    """The flag that one call lacks is another one than that of the other."""
    once = '    T.wait_flag("mte2", "v", ev) #\n'
    wrong = MACRO.replace('    T.set_flag("mte2", "v", 1) #\n', "")
    wrong = wrong.replace('    T.wait_flag("mte2", "v", 1) #\n', once)
    wrong = wrong.replace(
        "            taken(A[0", '            T.set_flag("mte2", "v", 2)\n            taken(A[0'
    )
    (one,) = [d for d in analyse(PATH, wrong, "A3").diagnostics if d.severity >= 3]
    assert one.code == "TL404" and not one.fixes
