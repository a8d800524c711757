"""An output that a wrong call does not write is no fault of out_idx."""
#@ kernels: 2

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def wrong_call():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            with T.Scope("C"):
                T.copy(A, a)
                T.barrier_all()
                T.gemm_v0(a, a, c, init=True)
                T.barrier_all()
                T.tile.atomic_add(A, c)  # ~ error[TL303]: T.tile.atomic_add does not convert

    return main


wrong_call()


@tilelang.jit(out_idx=[-1])  # ~ error[TL108]: out_idx -1 selects C
def right_call():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, 64), "float32")
            with T.Scope("V"):
                T.copy(A[vid * 32, 0], a)
                T.barrier_all()
                T.tile.atomic_add(A[vid * 32, 0], a)

    return main


right_call()
