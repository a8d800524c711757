"""Parts and elements behind branches: what their conditions tell of blocks, cores and loops is known there."""

import tilelang.language as T

FP = "float32"


@T.prim_func
def cores(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
    with T.Kernel(16, is_npu=True) as (cid, vid):
        x = T.alloc_ub((4, 64), FP)
        w = T.alloc_ub((3, 64), FP)
        e = T.alloc_ub((16,), FP)
        with T.Scope("V"):
            T.copy(A[cid * 4, 0], x)
            T.copy(A[0:3, 0:64], w)
            T.tile.fill(e, 0.0)
            T.barrier_all()
            if vid == 1:
                T.tile.mul(x[vid + 3, :], x[vid + 3, :], 2.0)  # ~ error[TL308]: x[vid + 3, :] reaches 4 in dimension 0 of x, (4, 64), at vid = 1
            if vid == 0:
                for i in T.serial(3):
                    T.tile.mul(x[i, :], x[i, :], w[i, :])
            else:
                for i in T.serial(3):
                    T.tile.mul(x[vid + i, :], x[vid + i, :], w[vid + i, :])  # ~ error[TL308]: w[vid + i, :] reaches 3 in dimension 0 of w, (3, 64), at vid = 1, i = 2
                T.tile.exp(x[vid * 4 - 1, :], x[vid * 4 - 1, :])
            if not vid == 1:
                T.tile.exp(x[vid + 4, :], x[vid, :])  # ~ error[TL308]: x[vid + 4, :] reaches 4 in dimension 0 of x, (4, 64), at vid = 0
                e[vid + 15] = 1.0
            if vid > 0 and cid >= 14:
                e[cid + vid] = e[cid + vid - 1]  # ~ error[TL308]: e[cid + vid] reaches 16
            if cid < 4 or cid > 12:
                e[cid + 4] = 1.0  # ~ error[TL308]: reaches 19
            if cid * 2 + vid < 15:
                e[cid * 2 + vid + 1] = 1.0
                e[cid * 2 + vid + 2] = 1.0  # ~ error[TL308]: reaches 16
            for i in T.serial(20):
                if i < 16:
                    e[i] = 1.0
                if i % 4 == 3:
                    e[i // 2] = 1.0
                    e[i] = 1.0  # ~ error[TL308]: reaches 19
                if i >= 16 and i < 20:
                    e[i - 4] = 1.0
                    e[i - 3] = 1.0  # ~ error[TL308]: e[i - 3] reaches 16
                if i > 30:
                    e[i] = 1.0
                if (i & 7) == 7:
                    e[i + 1] = 1.0  # ~ error[TL308]: reaches 16
                if (i >> 3) + (i % 2) > 2:
                    e[i - 4] = 1.0
            T.barrier_all()
            T.copy(x, B[cid * 4, 0])


@T.prim_func
def unknown(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP), n: T.int32):
    with T.Kernel(16, is_npu=True) as (cid, vid):
        x = T.alloc_ub((4, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 4, 0], x)
            T.barrier_all()
            if vid < n:
                T.tile.exp(x[vid * 4, :], x[vid, :])
            if vid == 1 and n > 2:
                T.tile.exp(x[vid * 4, :], x[vid, :])
            T.barrier_all()
            if x[0, 0] > 1.0:
                T.tile.exp(x[vid * 4, :], x[vid, :])
            for i in T.serial(8):
                if i == 4:
                    break
                if vid == 1:
                    T.tile.exp(x[i, :], x[i, :])
            T.barrier_all()
            T.copy(x, B[cid * 4, 0])


@T.prim_func
def cube(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        with T.Scope("C"):
            # The cube core never comes here.
            if vid == 1:
                T.copy(A, a[vid * 64 : vid * 64 + 64, :])
            else:
                T.copy(A[0:32, 0:64], a[vid * 64 + 48 : vid * 64 + 80, :])  # ~ error[TL308]: reaches 79


@T.prim_func
def tensors(A: T.Tensor((64, 64), FP), W: T.Tensor((16, 4, 64), FP), B: T.Tensor((64, 64), FP)):
    with T.Kernel(16, is_npu=True) as (cid, vid):
        x = T.alloc_ub((4, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 4 + vid * 64, 0], x)
            # ~^ warning[TL308]: begins at 64 or beyond in dimension 0 of A, (64, 64), at vid = 1: nothing of it exists
            T.barrier_all()
            T.copy(W[cid, vid * 4, 0], x[0:2, :])  # ~ warning[TL308]: begins at 4 or beyond in dimension 1 of W, (16, 4, 64), at vid = 1
            # A tail that the first core takes whole.
            T.copy(W[cid, 2 + vid * 2, 0], x[2:4, :])
            T.pipe_barrier("mte2")
            T.copy(A[60 + vid * 4, 0], x)
            if vid == 0:
                T.pipe_barrier("mte2")
                T.copy(W[cid, vid * 4, 0], x[0:2, :])
            else:
                T.copy(W[cid, 2 + vid * 2, 0], x[2:4, :])  # ~ warning[TL308]: at vid = 1: nothing of it exists
            # The last block has one part of two.
            T.pipe_barrier("mte2")
            T.copy(A[(cid * 2 + vid) * 4, 0], x)
            T.barrier_all()
            if vid == 0:
                T.copy(x, B[cid * 4, 0])
