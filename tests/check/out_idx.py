"""out_idx must select what the kernel writes."""

import tilelang
import tilelang.language as T


def scale(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((n,), "float32")
            T.copy(A[0], a)
            T.barrier_all()
            T.copy(a, B[0])

    return main


tilelang.compile(scale(64), out_idx=[1])
tilelang.compile(scale(64), out_idx=-1)
tilelang.compile(scale(64), [-1])
tilelang.compile(scale(64))
tilelang.compile(scale(64), out_idx=[0])
#                                   ^^^ error[TL108]: out_idx 0 selects A (64,), which is never written; B is
tilelang.compile(scale(64), out_idx=[-2, -1])  # ~ error[TL108]: out_idx -2 selects A
tilelang.compile(scale(64), out_idx=[2])  # ~ error[TL108]: 2 parameters
tilelang.compile(scale(64), [-3])  # ~ error[TL108]: 2 parameters
