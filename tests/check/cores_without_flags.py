"""What leads from one core to the other needs flags, the compiler's or the author's."""

import tilelang
import tilelang.language as T

FLAGS = tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_SYNC
SPLIT = tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_COMBINE
ORDER = tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC


@tilelang.jit(out_idx=[1], pass_configs={SPLIT: True, ORDER: True, FLAGS: False})  # ~ error[TL403]: nothing orders the cores: c leads from the cube to the vector core
def off(M):
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


@tilelang.jit(out_idx=[2], workspace_idx=[1], pass_configs={SPLIT: True, ORDER: True})  # ~ error[TL403]: nothing orders the cores: workspace leads from the cube to the vector core
def own_workspace(M):
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


@tilelang.jit(out_idx=[1], pass_configs={SPLIT: True, ORDER: True, FLAGS: True})
def on(M):
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


@tilelang.jit(out_idx=[1], pass_configs={SPLIT: True, ORDER: True})
def cube_alone(M):
    @T.prim_func
    def main(A: T.Tensor((M, 128), "float16"), C: T.Tensor((M, 128), "float32")):
        with T.Kernel(M // 128, is_npu=True) as (cid, vid):
            a = T.alloc_L1((128, 128), "float16")
            c = T.alloc_L0C((128, 128), "float32")
            T.copy(A[cid * 128, 0], a)
            T.gemm_v0(a, a, c, transpose_B=True, init=True)
            T.copy(c, C[cid * 128, 0])

    return main


off(1024)
own_workspace(1024)
on(1024)
cube_alone(1024)
