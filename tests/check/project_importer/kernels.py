"""Kernels that other files of the project call, rightly and wrongly."""
#@ instance: M=64, N=32, tag="a"
#@ instance: M=64, N=32, tag=3
#@ instance: M=96, N=32, tag="a"
#@ instance: M=128, N=32, tag="a"
#@ instance: M=M

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def rows(M, N, tag="a"):
    assert M % 16 == 0, "whole blocks only"
    name = tag + "b"

    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 16, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, N), "float32")
            T.copy(A[cid * 16, 0], a)
            T.barrier_all()
            T.copy(a, B[cid * 16, 0])

    return main


@tilelang.jit(out_idx=[1])
def placed(M, /):
    @T.prim_func
    def main(A: T.Tensor((M,), "float32"), B: T.Tensor((M,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), "float32")
            T.copy(A[0], a)
            T.barrier_all()
            T.copy(a, B[0])

    return main


def built(M):
    return rows(M, 32)
