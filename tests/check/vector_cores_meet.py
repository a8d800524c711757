"""What both vector cores of a block touch in GM, with nothing between that orders them."""

import tilelang
import tilelang.language as T

FP = "float32"


@tilelang.jit(workspace_idx=[2])
def exchange():
    @T.prim_func
    def main(A: T.Tensor((128, 64), FP), B: T.Tensor((128, 64), FP), W: T.Tensor((2, 2, 32, 64), FP)):
        with T.Kernel(2, is_npu=True) as (cid, vid):
            x = T.alloc_ub((32, 64), FP)
            with T.Scope("V"):
                T.copy(A[cid * 64 + vid * 32, 0], x)
                T.barrier_all()
                T.copy(x, W[cid, vid, 0, 0])
                T.barrier_all()
                T.copy(W[cid, 1 - vid, 0, 0], x)  # ~ warning[TL411]: vector core 1 reads W[cid, 1 - vid, :, :], which vector core 0 writes as W[cid, vid, :, :]
                T.barrier_all()
                T.copy(x, B[cid * 64 + vid * 32, 0])

    return main


exchange()


@tilelang.jit(workspace_idx=[2])
def first_one_writes():
    @T.prim_func
    def main(A: T.Tensor((128, 64), FP), B: T.Tensor((128, 64), FP), W: T.Tensor((128, 64), FP)):
        with T.Kernel(2, is_npu=True) as (cid, vid):
            x = T.alloc_ub((32, 64), FP)
            with T.Scope("V"):
                T.copy(A[cid * 64 + vid * 32, 0], x)
                T.barrier_all()
                if vid == 0:
                    T.copy(x, W[cid * 64, 0])
                T.barrier_all()
                T.copy(W[cid * 64, 0], x)  # ~ warning[TL411]: vector core 1 reads W[cid * 64:cid * 64 + 32, :], which vector core 0 writes
                T.barrier_all()
                T.copy(x, B[cid * 64 + vid * 32, 0])

    return main


first_one_writes()


@T.prim_func
def meets(A: T.Tensor((128, 64), FP), B: T.Tensor((128, 64), FP), W: T.Tensor((128, 64), FP)):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 64 + vid * 32, 0], x)
            T.barrier_all()
            T.copy(x, W[cid * 64 + vid * 32, 0])
            T.barrier_all()
        T.sync_all()
        with T.Scope("V"):
            T.copy(W[cid * 64 + (1 - vid) * 32, 0], x)
            T.barrier_all()
            T.copy(x, B[cid * 64 + vid * 32, 0])


@T.prim_func
def perhaps(A: T.Tensor((128, 64), FP), B: T.Tensor((128, 64), FP), W: T.Tensor((128, 64), FP), n: T.int32):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 64), FP)
        y = T.alloc_ub((64, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 64 + vid * 32, 0], x)
            T.barrier_all()
            T.copy(x, W[cid * 64 + vid * 32, 0])
            T.barrier_all()
            T.copy(W[cid * 64 + vid * 32, 0], x)
            T.pipe_barrier("mte2")
            T.copy(W[cid * 64 + n, 0], x)
            T.tile.fill(y, 0.0)
            T.barrier_all()
            if n > 2:
                T.copy(y, W[cid * 64, 0])
                T.barrier_all()
            T.copy(W[cid * 64, 0], y)
            T.barrier_all()
            T.copy(y[vid * 32 : vid * 32 + 32, :], B[cid * 64 + vid * 32, 0])


@T.prim_func
def the_same_by_both(A: T.Tensor((128, 64), FP), B: T.Tensor((128, 64), FP), W: T.Tensor((128, 64), FP)):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        x = T.alloc_ub((64, 64), FP)
        y = T.alloc_ub((32, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 64, 0], x)
            T.barrier_all()
            T.copy(x, W[cid * 64, 0])
            T.barrier_all()
            T.copy(W[cid * 64 + vid * 32, 0], y)
            T.barrier_all()
            T.copy(y, B[cid * 64 + vid * 32, 0])


@T.prim_func
def both_write(A: T.Tensor((128, 64), FP), B: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP)):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 64 + vid * 32, 0], x)
            T.barrier_all()
            T.copy(x, B[cid * 64, 0])  # ~ warning[TL411]: each of the two vector cores of a block writes B[cid * 64:cid * 64 + 32, :] with data of its own
            T.copy(x, C[cid * 64 + vid * 32, 0])


@T.prim_func
def one_core(A: T.Tensor((128, 64), FP), B: T.Tensor((128, 64), FP)):
    with T.Kernel(2, is_npu=True, threads=1) as cid:
        x = T.alloc_ub((32, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 64, 0], x)
            T.barrier_all()
            T.copy(x, B[cid * 64, 0])
