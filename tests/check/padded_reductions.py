"""Reductions over padding of a copy; a value that changes nothing, a mask and unknown writes are silent."""

import tilelang
import tilelang.language as T

FP = "float32"
PASSES = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
}


@tilelang.jit(out_idx=[-1], pass_configs=PASSES)
def rows(N):
    @T.prim_func
    def main(A: T.Tensor((1024, N), FP), B: T.Tensor((1024,), FP)):
        with T.Kernel(64, is_npu=True) as (cid, vid):
            x = T.alloc_ub((8, 128), FP)
            w = T.alloc_ub((8, 128), FP)
            m = T.alloc_ub((8, 1), FP)
            s = T.alloc_ub((8,), FP)
            with T.Scope("V"):
                T.copy(A[cid * 16 + vid * 8, 0], x)
                T.reduce_sum(x, s, dim=-1)
                T.reduce_max(x, m, dim=-1)  # ~ warning[TL803]: T.reduce_max goes over 128 columns of x, of which only 100 are data: the other 28 are padding, which holds 0
                T.tile.broadcast(w, m)
                T.tile.sub(x, x, w)
                T.tile.exp(x, x)
                T.reduce_sum(x, s, dim=-1)  # ~ warning[TL803]: T.reduce_sum goes over 128 columns of x
                T.copy(A[cid * 16 + vid * 8, 0], x)
                T.tile.abs(x, x)
                T.reduce_max(x, s, dim=-1)
                T.copy(A[cid * 16 + vid * 8, 0], x, pad_value=-T.infinity(FP))
                T.reduce_max(x, s, dim=-1)
                T.tile.exp(x, x)
                T.reduce_sum(x, s, dim=-1)
                T.copy(A[cid * 16 + vid * 8, 0], x)
                T.tile.exp(x, x)
                T.reduce_sum(x, s, dim=-1)  # ~ warning[TL803]: the other 28 are padding, which holds 1
                T.tile.fill(x[7, 96:128], 0.0)
                T.reduce_sum(x, s, dim=-1)
                for k in T.serial(T.ceildiv(N, 64)):
                    T.copy(A[cid * 16 + vid * 8, k * 64], w[:, 0:64])
                    T.reduce_min(w, s, dim=-1)
                T.copy(s, B[cid * 16 + vid * 8])

    return main


rows(100)
rows(128)


@tilelang.jit(out_idx=[-1], pass_configs=PASSES)
def chunks(N):
    @T.prim_func
    def main(A: T.Tensor((1024, N), FP), B: T.Tensor((1024,), FP)):
        with T.Kernel(64, is_npu=True) as (cid, vid):
            x = T.alloc_ub((8, 128), FP)
            s = T.alloc_ub((8,), FP)
            with T.Scope("V"):
                for k in T.serial(T.ceildiv(N, 128)):
                    T.copy(A[cid * 16 + vid * 8, k * 128], x)
                    T.reduce_min(x, s, dim=-1)  # ~ warning[TL803]: of which at k = 7 only 104 are data
                    if k < 7:
                        T.reduce_max(x, s, dim=-1)
                T.copy(s, B[cid * 16 + vid * 8])

    return main


chunks(1000)
