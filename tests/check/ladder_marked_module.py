"""A mark of a whole module holds for all of its tests."""
#@ kernels: 1

import pytest
import tilelang
import tilelang.language as T

pytestmark = pytest.mark.xfail(reason="why")


@tilelang.jit
def fill(size):
    assert size % 8 == 0, "size must be a multiple of 8"

    @T.prim_func
    def main(A: T.Tensor((size,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((size,), "float32")
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(a, A[0])

    return main


def test_odd_size():
    fill(7)


def test_large_size():
    fill(1 << 20)
