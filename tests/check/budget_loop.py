"""A loop of a billion steps that a factory needs: one message, and the next factory is checked."""
#@ instance: n=64

import tilelang
import tilelang.language as T


@tilelang.jit
def endless(n):
    total = 0
    for i in range(10**9):
        total += i  # ~ warning[TL105]: steps

    @T.prim_func
    def main(A: T.Tensor((total,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), "float32")
            T.copy(A[0], a)

    return main


@tilelang.jit
def good(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((n,), "float32")
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(a, A[0])

    return main


endless(1)
good(64)
