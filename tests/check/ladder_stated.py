"""The author states an instance above the factory."""
#@ instance: M=256, block=64, dtype="float16"

import tilelang
import tilelang.language as T


# tl: instance M=256, block=64
@tilelang.jit(out_idx=[-1])
def scale(M, block, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M,), dtype), B: T.Tensor((M,), dtype)):
        with T.Kernel(M // block, is_npu=True) as (cid, vid):
            a_ub = T.alloc_ub((block,), dtype)
            T.copy(A[cid * block], a_ub)
            T.barrier_all()
            T.copy(a_ub, B[cid * block])

    return main
