"""Automatic flags between the cores need upstream's split of the cores."""

import tilelang
import tilelang.language as T

FLAGS = tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_SYNC
SPLIT = tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_COMBINE
ORDER = tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC


@tilelang.jit(out_idx=[2], workspace_idx=[1], pass_configs={FLAGS: True, ORDER: True})  # ~ error[TL403]: tl.ascend_auto_cross_core_sync does nothing without tl.ascend_auto_cv_combine
def alone(M):
    @T.prim_func
    def main(A: T.Tensor((M, 128), "float16"), workspace: T.Tensor((M, 128), "float32"), C: T.Tensor((M, 128), "float32")):
        with T.Kernel(M // 128, is_npu=True) as (cid, vid):
            a = T.alloc_L1((128, 128), "float16")
            c = T.alloc_L0C((128, 128), "float32")
            u = T.alloc_ub((64, 128), "float32")
            T.copy(A[cid * 128, 0], a)
            T.gemm_v0(a, a, c, transpose_B=True, init=True)
            T.copy(c, workspace[cid * 128, 0])
            T.copy(workspace[cid * 128 + vid * 64, 0], u)
            T.tile.exp(u, u)
            T.copy(u, C[cid * 128 + vid * 64, 0])

    return main


@tilelang.jit(out_idx=[2], workspace_idx=[1], pass_configs={FLAGS: True, SPLIT: True, ORDER: True})
def split(M):
    @T.prim_func
    def main(A: T.Tensor((M, 128), "float16"), workspace: T.Tensor((M, 128), "float32"), C: T.Tensor((M, 128), "float32")):
        with T.Kernel(M // 128, is_npu=True) as (cid, vid):
            a = T.alloc_L1((128, 128), "float16")
            c = T.alloc_L0C((128, 128), "float32")
            u = T.alloc_ub((64, 128), "float32")
            T.copy(A[cid * 128, 0], a)
            T.gemm_v0(a, a, c, transpose_B=True, init=True)
            T.copy(c, workspace[cid * 128, 0])
            T.copy(workspace[cid * 128 + vid * 64, 0], u)
            T.tile.exp(u, u)
            T.copy(u, C[cid * 128 + vid * 64, 0])

    return main


@tilelang.jit(out_idx=[2], workspace_idx=[1], pass_configs={FLAGS: True, ORDER: True})
def by_hand(M):
    @T.prim_func
    def main(A: T.Tensor((M, 128), "float16"), workspace: T.Tensor((M, 128), "float32"), C: T.Tensor((M, 128), "float32")):
        with T.Kernel(M // 128, is_npu=True) as (cid, vid):
            a = T.alloc_L1((128, 128), "float16")
            c = T.alloc_L0C((128, 128), "float32")
            u = T.alloc_ub((64, 128), "float32")
            with T.Scope("C"):
                T.copy(A[cid * 128, 0], a)
                T.gemm_v0(a, a, c, transpose_B=True, init=True)
                T.copy(c, workspace[cid * 128, 0])
                T.set_cross_flag("FIX", 0)
            with T.Scope("V"):
                T.wait_cross_flag(0)
                T.copy(workspace[cid * 128 + vid * 64, 0], u)
                T.tile.exp(u, u)
                T.copy(u, C[cid * 128 + vid * 64, 0])

    return main


@tilelang.jit(out_idx=[1], pass_configs={FLAGS: True, ORDER: True})
def one_core(M):
    @T.prim_func
    def main(A: T.Tensor((M, 128), "float32"), C: T.Tensor((M, 128), "float32")):
        with T.Kernel(M // 128, is_npu=True) as (cid, vid):
            u = T.alloc_ub((64, 128), "float32")
            T.copy(A[cid * 128 + vid * 64, 0], u)
            T.tile.exp(u, u)
            T.copy(u, C[cid * 128 + vid * 64, 0])

    return main


def developed(M):
    @T.prim_func
    def main(A: T.Tensor((M, 128), "float16"), C: T.Tensor((M, 128), "float32")):
        with T.Kernel(M // 128, threads=2, is_npu=True) as cid:
            a = T.alloc_shared((128, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            u = T.alloc_shared((128, 128), "float32")
            T.copy(A[cid * 128, 0], a)
            T.gemm_v0(a, a, c, transpose_B=True, init=True)
            T.copy(c, u)
            for i, j in T.Parallel(128, 128):
                u[i, j] = u[i, j] + 1.0
            T.copy(u, C[cid * 128, 0])

    return main


@tilelang.jit(out_idx=[1], pass_configs={FLAGS: True, ORDER: True})  # ~ error[TL403]: tl.ascend_auto_cross_core_sync does nothing without tl.ascend_auto_cv_combine
def copied(M):
    return developed(M)


@tilelang.jit(out_idx=[1], pass_configs={ORDER: True})  # ~ error[TL403]: c leads from the cube to the vector core, and nothing orders them
def copied_without_any(M):
    return developed(M)


@tilelang.jit(out_idx=[1], pass_configs={FLAGS: True, SPLIT: True, ORDER: True})
def copied_and_split(M):
    return developed(M)


copied(256)
copied_without_any(256)
copied_and_split(256)
alone(256)
split(256)
by_hand(256)
one_core(256)
