"""Values whose parts are shared a million times cost what they weigh, not what they unfold to."""

from __future__ import annotations

import pytest

from tl_ascend.driver.check import Checker
from tl_ascend.driver.files import Files

KERNEL = """
import tilelang.language as T
{lines}
@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A[0], a)
"""
DOUBLED = "y = [1]\nfor _ in range(40):\n    y = [y, y]\n"


@pytest.mark.parametrize(
    "lines",
    [
        "a = [0] * 1000\nb = [a] * 1000\nx = str([b] * 1000)\n",
        DOUBLED + "x = y == y\n",
        DOUBLED + "x = repr(y)\n",
        DOUBLED + "x = f'{y}'\n",
        DOUBLED + "x = '%s' % y\n",
        DOUBLED + "x = y in [y]\n",
        DOUBLED + "x = sorted([y, y])\n",
        DOUBLED + "def f(v):\n    return v\nx = f(y)\n",
        DOUBLED + "x = {'a': y} == {'a': y}\n",
        DOUBLED + "x = [y] + [y]\nx = x * 3\n",
    ],
)
def test_a_value_that_unfolds_without_end(lines: str) -> None:
    files = Files()
    files.set_text("k.py", KERNEL.format(lines=lines))
    report = Checker(files).check("k.py")
    assert [k.status for k in report.kernels] == ["checked"]
