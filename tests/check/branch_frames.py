"""Branches written with T.If."""

import tilelang
import tilelang.language as T


@T.prim_func
def both(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 64), "float32")
        T.copy(A[cid * 16, 0], a)
        with T.If(cid > 0):
            with T.Then():
                T.tile.add(a, a, 1.0)
            with T.Else():
                b = T.alloc_ub((32, 32), "float32")
                T.tile.add(b, a[0:8, :], a)  # ~ error[TL302]: 512 elements
        with T.If(cid < 3), T.Then():
            T.tile.mul(a, a, 2.0)
        T.copy(a, A[cid * 16, 0])


@T.prim_func
def known_now(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        with T.If(1 > 2):
            with T.Then():
                T.copy(A, a[0:3, :])
            with T.Else():
                T.copy(A, a)


@T.prim_func
def alone(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Then():  # ~ error[TL106]: T.Then stands in no T.If
            T.barrier_all()
