"""Without a call the default arguments make an instance."""
#@ instance: M=1024, N=512
#@ instance: size=64

import tilelang
import tilelang.language as T


def add_one(M=1024, N=512):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M, is_npu=True) as (cid, vid):  # ~ hint cid: 0..1023 # ~ hint vid: 0..1
            row = T.alloc_ub((1, N), "float32")  # ~ hint row: float32[1,512] UB 2 KiB
            T.copy(A[cid, 0], row)
            T.barrier_all()
            T.tile.add(row, row, 1.0)
            T.barrier_all()
            T.copy(row, B[cid, 0])

    return main


@tilelang.jit
def fill(size=64):
    @T.prim_func
    def main(A: T.Tensor((size,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((size,), "float32")
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(a, A[0])

    return main
