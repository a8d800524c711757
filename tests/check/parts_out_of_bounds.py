"""Parts that leave their tile; guards, breaks, unknown bounds and tails in GM make it no error."""

import tilelang.language as T

FP = "float32"


@T.prim_func
def main(A: T.Tensor((1000, 64), FP), B: T.Tensor((1000, 64), FP), n: T.int32):
    with T.Kernel(63, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 64), FP)
        y = T.alloc_ub((2, 16, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 16, 0], x)
            T.copy(A[cid * 16, 0], y[2, :, :])  # ~ error[TL308]: y[2, :, :] reaches 2 in dimension 0 of y, (2, 16, 64)
            T.copy(A[2048:2064, 0:64], x)  # ~ warning[TL308]: begins at 2048 or beyond in dimension 0 of A
            T.barrier_all()
            T.tile.exp(x[8:24, :], x[0:16, :])  # ~ error[TL308]: x[8:24, :] reaches 23
            T.tile.exp(x[0:16, :], x[0:16, :])
            for r in T.serial(5):
                T.tile.abs(x[r * 4 : r * 4 + 4, :], x[0:4, :])  # ~ error[TL308]: reaches 19 in dimension 0 of x, (16, 64), at r = 4
                if r < 4:
                    T.tile.exp(x[r * 4 : r * 4 + 4, :], x[0:4, :])
            for r in T.serial(3, 20):
                T.tile.ln(x[19 - r, :], x[16 - r, :])  # ~ error[TL308]: x[19 - r, :] reaches 16 in dimension 0 of x, (16, 64), at r = 3 # ~ error[TL308]: x[16 - r, :] reaches -3
            for r in T.serial(20):
                if r >= 16:
                    break
                T.tile.exp(x[r, :], x[r, :])
            for r in T.serial(n):
                T.tile.exp(x[r, :], x[r, :])
            T.barrier_all()
            T.copy(x, B[cid * 16, 0])


@T.prim_func
def in_one_turn(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 64), FP)
        with T.Scope("V"):
            for t in T.serial(1, 3):
                T.copy(A[(t * 2 + vid) * 16, 0], x)  # ~ warning[TL308]: begins at 64 or beyond in dimension 0 of A, (64, 64), at t = 2: nothing of it exists
                T.barrier_all()
                T.copy(x[:, 0:32], B[(t - 1) * 32 + vid * 16, t * 32])  # one turn too many for both
                T.barrier_all()
            for t in T.serial(3):
                T.copy(A[t * 32 + cid * 16 - 32, 0], x)  # ~ error[TL308]: reaches -32
                T.barrier_all()
            for t in T.serial(2):
                if t < 1:
                    T.copy(A[t * 64 + vid * 16, 0], x)
                    T.barrier_all()
            for t in T.serial(3):  # blocks share the rows
                T.copy(A[(t * 2 + cid) * 16, 0], x)  # ~ warning[TL308]: begins at 64 or beyond in dimension 0 of A, (64, 64), at t = 2
                T.barrier_all()
            for t in T.serial(2):  # for the first block there is something
                T.copy(A[t * 48 + cid * 16, 0], x)
                T.barrier_all()
