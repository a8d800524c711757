"""Parts of a tile that a turn of a loop reads, and that nothing has written before."""

import tilelang.language as T

FP = "float16"


@T.prim_func
def last_turn(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((4, 16, 64), FP)
        with T.Scope("V"):
            for i in T.serial(4):
                if i < 3:
                    T.copy(A[i * 16, 0], a[i, :, :])
                T.barrier_all()
                T.tile.exp(a[i, :, :], a[i, :, :])  # ~ warning[TL321]: a[i, :, :] is read here at i = 3 before anything has written that part
                T.barrier_all()
                T.copy(a[i, :, :], B[i * 16, 0])
                T.barrier_all()


@T.prim_func
def one_behind(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((5, 16, 64), FP)
        with T.Scope("V"):
            for i in T.serial(4):
                T.copy(A[i * 16, 0], a[i, :, :])
            T.barrier_all()
            for i in T.serial(4):
                T.copy(a[i + 1, :, :], B[i * 16, 0])  # ~ warning[TL321]: a[i + 1, :, :] is read here at i = 3


@T.prim_func
def first_turn(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 16, 64), FP)
        with T.Scope("V"):
            for i in T.serial(4):
                T.copy(A[i * 16, 0], a[i % 2, :, :])
                T.barrier_all()
                T.copy(a[(i + 1) % 2, :, :], B[i * 16, 0])  # ~ warning[TL321]: a[(i + 1) % 2, :, :] is read here at i = 0
                T.barrier_all()


@T.prim_func
def ahead(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 16, 64), FP)
        b = T.alloc_ub((4, 16, 64), FP)
        c = T.alloc_ub((4, 16, 64), FP)
        with T.Scope("V"):
            T.copy(A[0, 0], a[0, :, :])
            T.barrier_all()
            for i in T.serial(4):
                if i < 3:
                    T.copy(A[i * 16 + 16, 0], a[(i + 1) % 2, :, :])
                if n > i:
                    T.copy(A[i * 16, 0], b[i, :, :])
                T.copy(A[i * 16, 0], c[n, :, :])
                T.barrier_all()
                T.tile.add(a[i % 2, :, :], a[i % 2, :, :], b[i, :, :])
                T.tile.add(a[i % 2, :, :], a[i % 2, :, :], c[i, :, :])
                T.barrier_all()
                T.copy(a[i % 2, :, :], B[i * 16, 0])
                T.barrier_all()
