"""Rows that a rounded-down grid leaves out; sizes that divide, and rests that a part of the kernel
handles, are no fault."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def rows(M, N, rest):
    blocks = M // 128  # ~ warning[TL803]: 1000 // 128 is 7, which covers 896: the last 104 rows of B
    columns = N // 64

    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(blocks * columns, is_npu=True) as (cid, vid):
            bx = cid // columns
            by = cid % columns
            a = T.alloc_ub((64, 64), "float32")
            with T.Scope("V"):
                T.copy(A[bx * 128 + vid * 64, by * 64], a)
                T.barrier_all()
                T.copy(a, B[bx * 128 + vid * 64, by * 64])
                if rest:
                    T.barrier_all()
                    T.copy(A[M // 128 * 128 + vid * 64, by * 64], a)
                    T.barrier_all()
                    T.copy(a, B[M // 128 * 128 + vid * 64, by * 64])

    return main


rows(1024, 128, False)
rows(1000, 128, False)
rows(1000, 128, True)
