"""Cores that hand each other data without a flag, where the compiler is not to put it there."""

import tilelang
import tilelang.language as T

P = tilelang.PassConfigKey


def kernel_of(ordered):
    @tilelang.jit(
        out_idx=[-1],
        pass_configs={
            P.TL_ASCEND_AUTO_CV_COMBINE: True,
            P.TL_ASCEND_AUTO_SYNC: True,
            P.TL_ASCEND_MEMORY_PLANNING: True,
            P.TL_ASCEND_AUTO_CV_SYNC: ordered,
        },
    )
    def handed_over(n):
        @T.prim_func
        def main(A: T.Tensor((n, 64), "float16"), C: T.Tensor((n, 64), "float32")):
            with T.Kernel(n // 64, threads=2, is_npu=True) as cid:
                a = T.alloc_shared((64, 64), "float16")
                c = T.alloc_fragment((64, 64), "float32")
                u = T.alloc_shared((64, 64), "float32")
                T.copy(A[cid * 64, 0], a)
                T.gemm_v0(a, a, c, init=True)
                T.copy(c, u)  # ~ error[TL407]: MTE2 of a vector core reads it here, FIX of the cube core writes it in T.copy
                T.tile.exp(u, u)
                T.copy(u, C[cid * 64, 0])

        return main

    return handed_over


kernel_of(True)(128)
kernel_of(False)(128)


@tilelang.jit(out_idx=[1], workspace_idx=[2])
def scopes(n):
    @T.prim_func
    def main(
        A: T.Tensor((n, 64), "float16"), C: T.Tensor((n, 64), "float32"), W: T.Tensor((n, 64), "float32")
    ):
        with T.Kernel(n // 64, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            u = T.alloc_ub((32, 64), "float32")
            with T.Scope("C"):
                T.copy(A[cid * 64, 0], a)
                T.barrier_all()
                T.gemm_v0(a, a, c, init=True)
                T.barrier_all()
                T.copy(c, W[cid * 64, 0])
            with T.Scope("V"):
                T.copy(W[cid * 64 + vid * 32, 0], u)  # ~ error[TL407]: W: MTE2 of a vector core reads it here, FIX of the cube core writes it in T.copy
                T.barrier_all()
                T.copy(u, C[cid * 64 + vid * 32, 0])

    return main


scopes(128)
