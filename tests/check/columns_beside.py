"""Columns of an output that nothing writes, where a part goes over the end of its rows."""
#@ kernels: 4

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def moved(first, columns):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, columns), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), "float32")
            r = cid * 16 + vid * 8
            with T.Scope("V"):
                T.copy(A[r, 0], a)
                T.barrier_all()
                T.copy(a, C[r, first])  # ~ warning[TL803]: 1 of the 64 columns of C is never written, column 0 the first

    return main


moved(1, 64)


@tilelang.jit(out_idx=[-1])
def whole(first, columns):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, columns), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), "float32")
            r = cid * 16 + vid * 8
            with T.Scope("V"):
                T.copy(A[r, 0], a)
                T.barrier_all()
                T.copy(a, C[r, first])

    return main


whole(0, 64)
whole(0, 60)  # cut at the end
whole(64, 128)  # the other half is left to somebody else
