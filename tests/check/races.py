"""Workspaces between the halves of a core: flags speak for the pipe that sets them, and for what it waited for."""

import tilelang.language as T

FP, HALF = "float32", "float16"


@T.prim_func
def ping_pong(A: T.Tensor((64, 64), HALF), W: T.Tensor((2, 64, 64), FP), B: T.Tensor((8, 64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        c = T.alloc_L0C((64, 64), FP)
        d = T.alloc_ub((32, 64), FP)
        with T.Scope("C"):
            T.copy(A, a)
            for k in T.serial(8):
                T.gemm_v0(a, a, c, init=True)
                T.wait_cross_flag(2 + k % 2)
                T.copy(c, W[k % 2, 0, 0])
                T.set_cross_flag("FIX", k % 2)
        with T.Scope("V"):
            T.set_cross_flag("MTE2", 2)
            T.set_cross_flag("MTE2", 3)
            for k in T.serial(8):
                T.wait_cross_flag(k % 2)
                T.copy(W[k % 2, vid * 32, 0], d)
                if k < 6:
                    T.set_cross_flag("MTE2", 2 + k % 2)
                T.barrier_all()
                T.copy(d, B[k, vid * 32, 0])
                T.barrier_all()


@T.prim_func
def not_given_back(A: T.Tensor((64, 64), HALF), W: T.Tensor((64, 64), FP), B: T.Tensor((8, 64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        c = T.alloc_L0C((64, 64), FP)
        d = T.alloc_ub((32, 64), FP)
        with T.Scope("C"):
            T.copy(A, a)
            for _k in T.serial(8):
                T.gemm_v0(a, a, c, init=True)
                T.copy(c, W)  # ~ error[TL407]: W: FIX of the cube core writes it here, MTE2 of a vector core reads
                T.set_cross_flag("FIX", 0)
        with T.Scope("V"):
            for k in T.serial(8):
                T.wait_cross_flag(0)
                T.copy(W[vid * 32, 0], d)
                T.barrier_all()
                T.copy(d, B[k, vid * 32, 0])
                T.barrier_all()


@T.prim_func
def wrong_pipe(A: T.Tensor((64, 64), HALF), W: T.Tensor((64, 64), HALF), B: T.Tensor((64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        c = T.alloc_L0C((64, 64), FP)
        d = T.alloc_ub((32, 64), HALF)
        with T.Scope("V"):
            T.tile.fill(d, 1.0)
            T.barrier_all()
            T.copy(d, W[vid * 32, 0])
            T.set_cross_flag("MTE2", 0)
        with T.Scope("C"):
            T.wait_cross_flag(0)
            T.copy(W, a)  # ~ error[TL407]: W: MTE2 of the cube core reads it here, MTE3 of a vector core writes
            T.gemm_v0(a, a, c, init=True)
            T.copy(c, B)
