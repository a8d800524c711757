"""A fault of several instances is told once; one that only some have, once as well."""
#@ instance: M=65536, block=65536, dtype="float32"
#@ instance: M=131072, block=65536, dtype="float32"
#@ instance: M=64, block=64, dtype="float32"

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(M, block, dtype="float32"):
    @T.prim_func
    def main(A: T.Tensor((M,), dtype), B: T.Tensor((M,), dtype)):
        with T.Kernel(M // block, is_npu=True) as (cid, vid):
            a_ub = T.alloc_ub((block,), dtype)  # ~ error[TL503]: 262144
            T.copy(A[cid * block], a_ub)
            T.barrier_all()
            T.copy(a_ub, B[cid * block])

    return main


scale(65536, 65536)
scale(131072, 65536)
scale(64, 64)
