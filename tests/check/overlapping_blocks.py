"""Blocks that write parts of a tensor that overlap; the same data in the shared rows are no race."""

import tilelang.language as T

FP = "float32"


@T.prim_func
def stride(A: T.Tensor((1024, 64), FP), B: T.Tensor((1024, 64), FP), C: T.Tensor((512, 64), FP), D: T.Tensor((512, 64), FP)):
    with T.Kernel(32, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 64), FP)
        y = T.alloc_ub((32, 64), FP)
        z = T.alloc_ub((32, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 32, 0], x)
            T.copy(A[cid * 16, 0], y)
            T.copy(A[cid * 16, 0], z)
            T.barrier_all()
            T.tile.add(z, z, cid)
            T.barrier_all()
            T.copy(x, B[cid * 16, 0])  # ~ warning[TL411]: B[0:32, 0:64] for cid = 0 and B[16:48, 0:64] for cid = 1
            T.copy(y, C[cid * 16, 0])
            T.copy(z, D[cid * 16, 0])  # ~ warning[TL411]: D[0:32, 0:64] for cid = 0 and D[16:48, 0:64] for cid = 1


@T.prim_func
def grid(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid // 2 * 16, cid % 2 * 64], x)
            T.barrier_all()
            T.copy(x, B[cid // 2 * 16, cid % 2 * 64])
            T.barrier_all()
            T.copy(x, A[cid // 2 * 16, cid % 2 * 32])  # ~ warning[TL411]: A[0:16, 0:64] for cid = 0 and A[0:16, 32:96] for cid = 1
