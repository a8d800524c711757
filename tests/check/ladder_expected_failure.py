"""A call that a test expects to fail tells nothing; others of the same factory do."""

import pytest
import tilelang
import tilelang.language as T


@tilelang.jit
def fill(size):
    assert size % 8 == 0, "size must be a multiple of 8"

    @T.prim_func
    def main(A: T.Tensor((size,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((size,), "float32")  # ~ error[TL503]: 262144
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(a, A[0])

    return main


def test_odd_sizes():
    with pytest.raises(AssertionError):
        fill(7)
    with pytest.raises(Exception):
        fill(1 << 20)


fill(65536)
