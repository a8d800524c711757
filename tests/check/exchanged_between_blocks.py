"""What one block reads and another one writes, with nothing that makes one wait for the other."""

import tilelang
import tilelang.language as T

FP = "float32"


@tilelang.jit(workspace_idx=[2])
def turned_round(synced):
    @T.prim_func
    def main(A: T.Tensor((256, 64), FP), B: T.Tensor((256, 64), FP), W: T.Tensor((256, 64), FP)):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, 64), FP)
            with T.Scope("V"):
                T.copy(A[cid * 64 + vid * 32, 0], a)
                T.barrier_all()
                T.copy(a, W[cid * 64 + vid * 32, 0])
                T.barrier_all()
            if synced:
                T.sync_all()
            with T.Scope("V"):
                T.copy(W[(3 - cid) * 64 + vid * 32, 0], a)  # ~ warning[TL411]: block 0 reads W[(3 - cid) * 64
                T.barrier_all()
                T.copy(a, B[cid * 64 + vid * 32, 0])

    return main


turned_round(False)
turned_round(True)


@tilelang.jit(out_idx=[1], workspace_idx=[2])
def from_the_cube(step):
    @T.prim_func
    def main(A: T.Tensor((256, 64), "float16"), B: T.Tensor((256, 64), FP), W: T.Tensor((256, 64), FP)):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            x = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), FP)
            u = T.alloc_ub((32, 64), FP)
            with T.Scope("C"):
                T.copy(A[cid * 64, 0], x)
                T.barrier_all()
                T.gemm_v0(x, x, c, transpose_B=True, init=True)
                T.barrier_all()
                T.copy(c, W[cid * 64, 0])
                T.set_cross_flag("FIX", 0)
            with T.Scope("V"):
                T.wait_cross_flag(0)
                T.copy(W[cid * 64 + vid * step, 0], u)  # ~ warning[TL411]: block 0 reads W[cid * 64 + vid * 64
                T.barrier_all()
                T.copy(u, B[cid * 64 + vid * 32, 0])

    return main


from_the_cube(32)
from_the_cube(64)


@T.prim_func
def in_place(A: T.Tensor((256, 64), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 64 + vid * 32, 0], a)
            T.barrier_all()
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, A[cid * 64 + vid * 32, 0])


@T.prim_func
def neighbours(A: T.Tensor((256, 64), FP)):
    with T.Kernel(4, is_npu=True, threads=1) as cid:
        a = T.alloc_ub((64, 64), FP)
        b = T.alloc_ub((64, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 64, 0], a)
            T.copy(A[(cid + 1) % 4 * 64, 0], b)  # ~ warning[TL411]: block 0 reads A[(cid + 1) % 4 * 64
            T.barrier_all()
            T.tile.add(a, a, b)
            T.barrier_all()
            T.copy(a, A[cid * 64, 0])


@T.prim_func
def perhaps(A: T.Tensor((256, 64), FP), B: T.Tensor((256, 64), FP), n: T.int32):
    with T.Kernel(4, is_npu=True, threads=1) as cid:
        a = T.alloc_ub((64, 64), FP)
        with T.Scope("V"):
            T.copy(A[n * 64, 0], a)
            T.barrier_all()
            if n > 3:
                T.copy(a, A[cid * 64, 0])
            T.copy(a, B[cid * 64, 0])
