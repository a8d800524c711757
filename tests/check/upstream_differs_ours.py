"""The same with our own rules alone: nothing is wrong."""
#@ upstream: none

import tilelang
import tilelang.language as T

FP, HALF = "float32", "float16"
PLANNED = {"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True}
BOTH = {**PLANNED, "tl.ascend_auto_cv_combine": True, "tl.ascend_auto_cross_core_sync": True}


@tilelang.jit(out_idx=[-1], pass_configs=BOTH)
def pipelined(count, stages):
    @T.prim_func
    def main(A: T.Tensor((64, 128), HALF), B: T.Tensor((count * 64, 128), HALF), C: T.Tensor((count * 64, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_shared((64, 128), HALF)
            b = T.alloc_shared((64, 128), HALF)
            c = T.alloc_fragment((64, 64), FP)
            u = T.alloc_shared((32, 64), FP)
            T.copy(A, a)
            for k in T.Pipelined(count, num_stages=stages):
                T.copy(B[k * 64, 0], b)
                T.gemm_v0(b, a, c, transpose_B=True, init=True)
                T.copy(c[vid * 32 : vid * 32 + 32, :], u)  # ~ hint[TL816]: L0C to UB
                T.tile.exp(u, u)
                T.copy(u, C[k * 64 + vid * 32, 0])

    return main


pipelined(7, 3)
pipelined(6, 3)


@tilelang.jit(out_idx=[-1], pass_configs=PLANNED)
def one_core(count):
    @T.prim_func
    def main(A: T.Tensor((count, 128), FP), B: T.Tensor((count, 128), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            x = T.alloc_shared((1, 128), FP)
            for k in T.Pipelined(count, num_stages=2):
                T.copy(A[k, 0], x)
                T.tile.exp(x, x)
                T.copy(x, B[k, 0])

    return main


one_core(7)


@tilelang.jit(out_idx=[-1], pass_configs=PLANNED)
def halves():
    @T.prim_func
    def main(A: T.Tensor((64, 128), FP), S: T.Tensor((128,), FP), R: T.Tensor((64,), FP), B: T.Tensor((64, 128), FP)):
        with T.Kernel(2, is_npu=True, threads=2) as cid:
            x = T.alloc_shared((32, 128), FP)
            s = T.alloc_shared((128,), FP)
            r = T.alloc_shared((32,), FP)
            T.copy(A[cid * 32, 0], x)
            T.copy(S, s)
            T.copy(R[cid * 32], r)
            for i, j in T.Parallel(32, 128):
                x[i, j] = x[i, j] * s[j]
            for i, j in T.Parallel(32, 128):
                x[i, j] = x[i, j] * r[i]
            T.copy(x, B[cid * 32, 0])

    return main


halves()


@tilelang.jit(out_idx=[-1], pass_configs=PLANNED)
def names():
    @T.prim_func
    def main(A: T.Tensor((32, 128), FP), B: T.Tensor((32, 128), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            with T.Scope("V"):
                unused = T.alloc_ub((8, 128), FP)
                x = T.alloc_ub((8, 128), FP)
                T.copy(A[vid * 16, 0], x)
                T.copy(x, B[vid * 16, 0])
                x = T.alloc_ub((8, 128), FP)
                T.copy(A[vid * 16 + 8, 0], x)
                T.copy(x, B[vid * 16 + 8, 0])

    return main


names()


@tilelang.jit(out_idx=[-1], pass_configs=PLANNED)
def fragment():
    @T.prim_func
    def main(A: T.Tensor((32, 128), FP), B: T.Tensor((32, 128), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            x = T.alloc_fragment((16, 128), FP)
            T.copy(A[vid * 16, 0], x)
            T.tile.exp(x, x)
            T.copy(x, B[vid * 16, 0])

    return main


fragment()


@tilelang.jit(out_idx=[-1], pass_configs=BOTH)
def flags():
    @T.prim_func
    def main(A: T.Tensor((64, 64), HALF), B: T.Tensor((64, 64), HALF), W: T.Tensor((64, 64), FP), C: T.Tensor((64, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), HALF)
            b = T.alloc_L1((64, 64), HALF)
            c = T.alloc_L0C((64, 64), FP)
            u = T.alloc_ub((32, 64), FP)
            T.copy(A, a)
            T.copy(B, b)
            T.gemm_v0(a, b, c, init=True)
            T.copy(c, W)
            T.pipe_barrier("v")
            T.copy(W[vid * 32, 0], u)
            T.pipe_barrier("v")
            T.copy(u, C[vid * 32, 0])

    return main


flags()
