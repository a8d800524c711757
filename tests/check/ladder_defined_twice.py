"""Of two functions of one name the last one counts."""
#@ instance: size=64

import tilelang
import tilelang.language as T


def fill(size):
    @T.prim_func
    def main(A: T.Tensor((size,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((size * 100000,), "float32")
            T.copy(a, A[0])

    return main


def fill(size):  # noqa: F811
    @T.prim_func
    def main(A: T.Tensor((size,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((size,), "float32")
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(a, A[0])

    return main


fill(64)
