"""Flags between the cores in loops over symbolic dimensions: what holds from some size on is told."""

import tilelang.language as T

K = T.symbolic("K")
N = T.symbolic("N")
FP = "float32"


@T.prim_func
def other_id(A: T.Tensor((K, 64), "float16"), O: T.Tensor((64, 64), FP), W: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        h = T.alloc_ub((32, 64), "float16")
        l = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), FP)
        with T.Scope("V"):
            for i in T.serial(T.ceildiv(K, 64)):
                T.copy(A[i * 64 + vid * 32, 0], h)
                T.barrier_all()
                if i > 0:
                    T.wait_cross_flag(2)
                T.copy(h, W[vid * 32, 0])
                T.set_cross_flag("MTE3", 3)  # ~ error[TL405]: flag 3: 1 set with K = 64, but no wait on the other side, which waits for flag 1 instead
                T.barrier_all()
        with T.Scope("C"):
            for i in T.serial(T.ceildiv(K, 64)):
                T.wait_cross_flag(1)
                T.copy(W[0, 0], l)
                if i + 1 < T.ceildiv(K, 64):
                    T.set_cross_flag("MTE2", 2)
                T.barrier_all()
                T.gemm_v0(l, l, c, init=(i == 0))
            T.copy(c, O[0, 0])


@T.prim_func
def no_way_back(A: T.Tensor((K, 64), "float16"), W: T.Tensor((64, 64), "float16")):
    """Of one turn alone this is right."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        h = T.alloc_ub((32, 64), "float16")
        l = T.alloc_L1((64, 64), "float16")
        with T.Scope("V"):
            for i in T.serial(T.ceildiv(K, 64)):
                T.copy(A[i * 64 + vid * 32, 0], h)
                T.barrier_all()
                if i > 0:
                    T.wait_cross_flag(2)  # ~ error[TL405]: flag 2: 1 wait, but only 0 sets on the other side with K = 96
                T.copy(h, W[vid * 32, 0])
                T.set_cross_flag("MTE3", 1)
                T.barrier_all()
        with T.Scope("C"):
            for i in T.serial(T.ceildiv(K, 64)):
                T.wait_cross_flag(1)
                T.copy(W[0, 0], l)
                T.barrier_all()


@T.prim_func
def each_waits_first(A: T.Tensor((K, 64), "float16"), W: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        h = T.alloc_ub((32, 64), "float16")
        l = T.alloc_L1((64, 64), "float16")
        with T.Scope("V"):
            for i in T.serial(T.ceildiv(K, 64)):
                T.wait_cross_flag(2)
                T.copy(A[i * 64 + vid * 32, 0], h)
                T.barrier_all()
                T.copy(h, W[vid * 32, 0])
                T.set_cross_flag("MTE3", 1)
        with T.Scope("C"):
            for i in T.serial(T.ceildiv(K, 64)):
                T.wait_cross_flag(1)  # ~ error[TL405]: both stand still for ever
                T.copy(W[0, 0], l)
                T.set_cross_flag("MTE2", 2)


@T.prim_func
def waits_in_later_turns(A: T.Tensor((K, 64), "float16"), W: T.Tensor((64, 64), "float16")):
    """Of one turn alone this is right."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        h = T.alloc_ub((32, 64), "float16")
        l = T.alloc_L1((64, 64), "float16")
        with T.Scope("V"):
            for i in T.serial(T.ceildiv(K, 64)):
                if i > 0:
                    T.wait_cross_flag(2)  # ~ error[TL405]: both stand still for ever
                T.copy(A[i * 64 + vid * 32, 0], h)
                T.barrier_all()
                T.copy(h, W[vid * 32, 0])
                T.set_cross_flag("MTE3", 1)
        with T.Scope("C"):
            for i in T.serial(T.ceildiv(K, 64)):
                T.wait_cross_flag(1)
                T.copy(W[0, 0], l)
                if i > 0:
                    T.set_cross_flag("MTE2", 2)


@T.prim_func
def left_set(A: T.Tensor((K, 64), "float16"), W: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        h = T.alloc_ub((32, 64), "float16")
        l = T.alloc_L1((64, 64), "float16")
        with T.Scope("V"):
            for i in T.serial(T.ceildiv(K, 64)):
                if i > 0:
                    T.wait_cross_flag(2)
                T.copy(A[i * 64 + vid * 32, 0], h)
                T.barrier_all()
                T.copy(h, W[vid * 32, 0])
                T.set_cross_flag("MTE3", 1)
        with T.Scope("C"):
            for i in T.serial(T.ceildiv(K, 64)):
                T.wait_cross_flag(1)
                T.copy(W[0, 0], l)
                T.set_cross_flag("MTE2", 2)  # ~ warning[TL405]: flag 2: 1 set with K = 64, but no wait on the other side


@T.prim_func
def of_two_sizes(A: T.Tensor((K, 64), "float16"), B: T.Tensor((N, 64), "float16"), W: T.Tensor((64, 64), "float16")):
    """Right where N is twice K, as nothing but its callers say."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        h = T.alloc_ub((32, 64), "float16")
        l = T.alloc_L1((64, 64), "float16")
        with T.Scope("V"):
            for i in T.serial(K // 32):
                if i > 0:
                    T.wait_cross_flag(2)
                T.copy(A[i * 32 + vid * 16, 0], h)
                T.barrier_all()
                T.copy(h, W[vid * 32, 0])
                T.set_cross_flag("MTE3", 1)
        with T.Scope("C"):
            for i in T.serial(N // 128):
                T.wait_cross_flag(1)
                T.copy(W[0, 0], l)
                if i + 1 < N // 128:
                    T.set_cross_flag("MTE2", 2)


@T.prim_func
def of_many_rows(A: T.Tensor((K, 64), "float16"), W: T.Tensor((64, 64), "float16")):
    """Right for all that fill a tile."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        h = T.alloc_ub((32, 64), "float16")
        l = T.alloc_L1((64, 64), "float16")
        with T.Scope("V"):
            for i in T.serial(K // 128 * 2):
                if i > 0:
                    T.wait_cross_flag(2)
                T.copy(A[i * 64 + vid * 32, 0], h)
                T.barrier_all()
                T.copy(h, W[vid * 32, 0])
                T.set_cross_flag("MTE3", 1)
        with T.Scope("C"):
            for i in T.serial(K // 64):
                T.wait_cross_flag(1)
                T.copy(W[0, 0], l)
                if i + 1 < K // 64:
                    T.set_cross_flag("MTE2", 2)
