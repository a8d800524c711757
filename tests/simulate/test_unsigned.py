"""Unsigned numbers of 32 bits and more are computed modulo 2**bits in each operation."""

from __future__ import annotations

import numpy as np
import pytest
from tests.emit import support
from tests.emit.test_numbers import unsigned_numbers

import tl_ascend

LOOP = """import tilelang.language as T


@T.prim_func
def main(x: T.Tensor((16,), "{kind}"), y: T.Tensor((16,), "{kind}"), z: T.Tensor((16,), "int32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16,), "{kind}")
        b = T.alloc_ub((16,), "{kind}")
        c = T.alloc_ub((16,), "int32")
        with T.Scope("V"):
            T.copy(x, a)
            T.barrier_all()
            for i in T.serial(16):
                b[i] = (a[i] - T.{kind}(3)) * T.{kind}(40503)
                c[i] = T.if_then_else(a[i] - T.{kind}(3) < T.{kind}(5), 1, 0)
            T.barrier_all()
            T.copy(b, y)
            T.copy(c, z)
"""


def test_the_kernel_of_the_programs() -> None:
    run = unsigned_numbers()
    kernel = tl_ascend.load(str(support.HERE / "kernels" / "unsigned_numbers.py"))
    np.testing.assert_array_equal(tl_ascend.evaluate(kernel, run.arguments[0]), run.want)


@pytest.mark.parametrize("kind", ["uint32", "uint64"])
def test_what_leaves_the_range_comes_back_into_it(kind: str, tmp_path: object) -> None:
    path = tmp_path / "kernel.py"  # type: ignore[operator]
    path.write_text(LOOP.format(kind=kind))
    x = np.arange(16).astype(kind)
    y, z = np.zeros(16, kind), np.zeros(16, np.int32)
    tl_ascend.evaluate(tl_ascend.load(str(path)), x, y, z)
    np.testing.assert_array_equal(y, (x - x.dtype.type(3)) * x.dtype.type(40503))
    np.testing.assert_array_equal(z, (x - x.dtype.type(3) < 5).astype(np.int32))
