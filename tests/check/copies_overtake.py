"""Copies of one pipe to the same place may overtake each other, unless a barrier of the pipe, or a flag that
comes back to it, stands between them."""

import tilelang.language as T

FP = "float32"


@T.prim_func
def stores(A: T.Tensor((64, 64), FP), C: T.Tensor((64, 64), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        b = T.alloc_ub((8, 64), FP)
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r, 0], a)
            T.tile.fill(b, 0.0)
            T.barrier_all()
            T.copy(b, C[r, 0])
            T.copy(a[0:4, :], C[r, 0])  # ~ error[TL406]: C: MTE3 writes it here, and in part the same of it in T.copy


@T.prim_func
def loads(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP), C: T.Tensor((64, 64), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r, 0], a)
            T.copy(B[r : r + 4, 0:64], a[4:8, :])  # ~ error[TL406]: a: MTE2 writes it here, and in part the same of it in T.copy
            T.barrier_all()
            T.copy(a, C[r, 0])


@T.prim_func
def of_rounds(A: T.Tensor((64, 64), FP), C: T.Tensor((64, 64), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r, 0], a)
            T.barrier_all()
            for i in T.serial(4):
                T.copy(a[i * 2 : i * 2 + 2, :], C[r, 0])  # ~ error[TL406]: T.copy of an earlier iteration


@T.prim_func
def with_barriers(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP), C: T.Tensor((64, 64), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r, 0], a)
            T.pipe_barrier("mte2")
            T.copy(B[r : r + 4, 0:64], a[4:8, :])
            T.set_flag("mte2", "mte3", 0)
            T.wait_flag("mte2", "mte3", 0)
            for i in T.serial(4):
                T.copy(a[i * 2 : i * 2 + 2, :], C[r, 0])
                T.pipe_barrier("mte3")


@T.prim_func
def behind_flags(A: T.Tensor((64, 64), FP), C: T.Tensor((64, 64), FP)):
    """The vector unit has waited for each copy before it lets the next one go."""
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.tile.fill(a, 0.0)
            T.set_flag("v", "mte3", 0)
            for i in T.serial(4):
                T.wait_flag("v", "mte3", 0)
                T.copy(a, C[r, 0])
                T.set_flag("mte3", "v", 0)
                T.wait_flag("mte3", "v", 0)
                T.tile.add(a, a, 1.0)
                T.set_flag("v", "mte3", 0)
            T.wait_flag("v", "mte3", 0)


@T.prim_func
def side_by_side(A: T.Tensor((64, 64), FP), C: T.Tensor((64, 64), FP), n: T.int32):
    """Parts of their own, places that nobody knows, and the same written twice."""
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r : r + 4, 0:64], a[0:4, :])
            T.copy(A[r + 4 : r + 8, 0:64], a[4:8, :])
            T.barrier_all()
            T.copy(a[0:4, :], C[r, 0])
            T.copy(a[4:8, :], C[r + 4, 0])
            T.copy(a[4:8, :], C[r + 4, 0])
            T.barrier_all()
            T.copy(a[0:1, :], C[n + vid + cid, 0])
            T.copy(a[1:2, :], C[n * 3 + cid + vid, 0])


@T.prim_func
def behind_a_missing_flag(A: T.Tensor((64, 64), FP), C: T.Tensor((64, 64), FP)):
    """One flag would order all."""
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r, 0], a)
            for i in T.serial(4):
                T.barrier_all()
                T.copy(a, C[r, 0])
                T.copy(A[r, 0], a)  # ~ error[TL406]: a: MTE2 writes it here, MTE3 reads it in T.copy
