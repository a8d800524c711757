"""Instances that the project states; max-instances limits those that calls make."""
#@ instance: M=128, block=64, dtype="float16"
#@ instance: M=256, block=64, dtype="float32"
#@ instance: n=64
#@ instance: n=128

import tilelang
import tilelang.language as T


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


@tilelang.jit
def fill(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):  # ~^^ info[TL110]: 2
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((n,), "float32")
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(a, A[0])

    return main


for n in (64, 128, 256, 512):
    fill(n)
