"""Cores that wait for each other with as many sets as waits, and counters of each vector core."""

import tilelang.language as T

FP, HALF = "float32", "float16"


@T.prim_func
def each_waits_first(A: T.Tensor((64, 64), HALF), W: T.Tensor((64, 64), HALF)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        b = T.alloc_ub((32, 64), HALF)
        with T.Scope("C"):
            for _k in T.serial(4):
                T.wait_cross_flag(1)  # ~ error[TL405]: flag 1: the cube core waits here, a vector core for flag 0
                T.copy(W, a)
                T.barrier_all()
                T.set_cross_flag("MTE2", 0)
        with T.Scope("V"):
            for _k in T.serial(4):
                T.wait_cross_flag(0)
                T.copy(b, W[vid * 32, 0])
                T.set_cross_flag("MTE3", 1)


@T.prim_func
def primed(A: T.Tensor((64, 64), HALF), W: T.Tensor((64, 64), HALF)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        b = T.alloc_ub((32, 64), HALF)
        with T.Scope("C"):
            T.set_cross_flag("MTE2", 0)
            for _k in T.serial(4):
                T.wait_cross_flag(1)
                T.copy(W, a)
                T.set_cross_flag("MTE2", 0)
        with T.Scope("V"):
            for _k in T.serial(4):
                T.wait_cross_flag(0)
                T.copy(b, W[vid * 32, 0])
                T.set_cross_flag("MTE3", 1)
            T.wait_cross_flag(0)


@T.prim_func
def one_round_later(A: T.Tensor((64, 64), HALF), n: T.int32):
    # The first rounds go well; the ring closes where the cube core asks for a second answer.
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        with T.Scope("C"):
            T.copy(A, a)
            for k in T.serial(600):
                T.set_cross_flag("FIX", 0)
                T.wait_cross_flag(1)
                if k == 2:
                    T.wait_cross_flag(1)  # ~ error[TL405]: flag 1: the cube core waits here
            T.set_cross_flag("FIX", 0)
        with T.Scope("V"):
            for _k in T.serial(601):
                T.wait_cross_flag(0)
                T.set_cross_flag("V", 1)


@T.prim_func
def every_size(A: T.Tensor((T.symbolic("rows"), 64), HALF), W: T.Tensor((64, 64), HALF), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        b = T.alloc_ub((32, 64), HALF)
        with T.Scope("C"):
            T.wait_cross_flag(1)  # ~ error[TL405]: flag 1: the cube core waits here
            for k in T.serial(n):
                T.copy(A[k * 64, 0], a)
            T.set_cross_flag("MTE2", 0)
        with T.Scope("V"):
            T.wait_cross_flag(0)
            T.copy(b, W[vid * 32, 0])
            T.set_cross_flag("MTE3", 1)


@T.prim_func
def known_on_the_device(A: T.Tensor((64, 64), HALF), n: T.int32, m: T.int32):
    # Who waits first, the device alone knows.
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        with T.Scope("C"):
            T.copy(A, a)
            if n > 0:
                T.wait_cross_flag(1)
            T.set_cross_flag("MTE2", 0)
            if n <= 0:
                T.wait_cross_flag(1)
        with T.Scope("V"):
            if m <= 0:
                T.set_cross_flag("V", 1)
            T.wait_cross_flag(0)
            if m > 0:
                T.set_cross_flag("V", 1)


@T.prim_func
def one_of_two_waits(A: T.Tensor((64, 64), HALF), W: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
    # Each vector core has a counter of its own.
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        c = T.alloc_L0C((64, 64), FP)
        b = T.alloc_ub((64, 64), FP)
        with T.Scope("C"):
            T.copy(A, a)
            T.barrier_all()
            T.gemm_v0(a, a, c, init=True)
            T.barrier_all()
            T.copy(c, W)
            T.set_cross_flag("FIX", 1)  # ~ warning[TL405]: flag 1: 1 set, but no wait on vector core 0
        with T.Scope("V"):
            if vid != 0:
                T.wait_cross_flag(1)
                T.copy(W, b)
                T.barrier_all()
                T.copy(b, B)


@T.prim_func
def one_of_two_sets(A: T.Tensor((64, 64), HALF), W: T.Tensor((64, 64), HALF)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        b = T.alloc_ub((32, 64), HALF)
        with T.Scope("V"):
            T.copy(b, W[vid * 32, 0])
            if vid == 1:
                T.set_cross_flag("MTE3", 2)
        with T.Scope("C"):
            T.wait_cross_flag(2)  # ~ error[TL405]: flag 2: 1 wait, but only 0 sets on vector core 0
            T.copy(W, a)


@T.prim_func
def one_sets_more(A: T.Tensor((64, 64), HALF), W: T.Tensor((64, 64), HALF)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        b = T.alloc_ub((32, 64), HALF)
        with T.Scope("V"):
            T.copy(b, W[vid * 32, 0])
            T.set_cross_flag("MTE3", 2)
            if vid == 1:
                T.set_cross_flag("MTE3", 2)  # ~ warning[TL405]: flag 2: 2 sets on vector core 1, but 1 wait on the other side
        with T.Scope("C"):
            T.wait_cross_flag(2)
            T.copy(W, a)
