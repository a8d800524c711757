"""The bounds of every kind of loop."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((1024, 64), "float32"), n: T.int32):
    with T.Kernel(4, is_npu=True) as (cid, vid):  # ~ hint cid: 0..3 # ~ hint vid: 0..1
        a = T.alloc_ub((64, 64), "float32")
        for i in range(8):  # ~ hint i: 0..7
            for j in range(2, 10, 2):  # ~ hint j: 2..8
                for k in T.serial(3, 5):  # ~ hint k: 3..4
                    T.copy(A[cid * 256 + i * 32, 0], a)
        for i in T.Pipelined(16, num_stages=2):  # ~ hint i: 0..15
            T.copy(A[i * 64, 0], a)
        for i, j in T.grid(4, 2):  # ~ hint i: 0..3 # ~ hint j: 0..1
            T.copy(A[i * j, 0], a)
        for i in T.unroll(2):  # ~ hint i: 0..1
            T.copy(A[i, 0], a)
        for i in T.serial(n):
            T.copy(A[i, 0], a)
        for i, j in T.Parallel(64, 64):
            a[i, j] = a[i, j] * 2.0
        for i in T.Parallel(64, 64):  # ~ error[TL106]: 2 indices, but 1 names
            a[i, 0] = 0.0
        for i, j in T.serial(4):  # ~ error[TL106]: 1 indices, but 2 names
            T.copy(A[i, 0], a)
