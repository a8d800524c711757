"""Recursion without an end is one message; the rest of the file is checked."""
#@ kernels: 2

import tilelang
import tilelang.language as T


def depth(n):
    return depth(n + 1)  # ~ warning[TL105]: 60 nested calls


@T.prim_func
def bad(A: T.Tensor((depth(0),), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A[0], a)


@T.prim_func
def good(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.tile.fill(a, 0.0)
        T.barrier_all()
        T.copy(a, A[0])
