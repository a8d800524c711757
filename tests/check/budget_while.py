"""`while True` in a factory and in a kernel's helper: one message each."""
#@ instance: n=64

import tilelang
import tilelang.language as T


@tilelang.jit
def endless(n):
    while True:
        n += 1  # ~ warning[TL105]: steps

    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), "float32")
            T.copy(A[0], a)

    return main


def forever():
    while True:
        pass  # ~ warning[TL105]: steps


@tilelang.jit
def in_kernel(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            forever()

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
in_kernel(1)
good(64)
