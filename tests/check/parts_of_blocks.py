"""Transfers write whole blocks of 32 bytes: what was written beside a part of a row is gone."""

import tilelang.language as T


def stored(width, rows=10):
    @T.prim_func
    def main(A: T.Tensor((16, 64), "float32"), C: T.Tensor((16, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            with T.Scope("V"):
                T.tile.fill(a, 7)
                T.barrier_all()
                T.copy(A[0:rows, 0:width], a[0:rows, 0:width])  # ~ error[TL205]: columns 10 to 15 of a hold any number
                T.barrier_all()
                T.copy(a, C)

    return main


stored(10)
stored(16)


def elsewhere(first, top):
    """What is read is not what is gone."""

    @T.prim_func
    def main(A: T.Tensor((16, 64), "float32"), C: T.Tensor((16, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            with T.Scope("V"):
                T.tile.fill(a, 7)
                T.barrier_all()
                T.copy(A[0:10, 0:10], a[0:10, 0:10])
                T.barrier_all()
                T.copy(a[top : top + 6, first:64], C[top : top + 6, first:64])

    return main


elsewhere(16, 0)
elsewhere(0, 10)


@T.prim_func
def row(A: T.Tensor((33,), "float16"), C: T.Tensor((64,), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float16")
        with T.Scope("V"):
            T.tile.fill(a, 1.0)
            T.barrier_all()
            if cid == 0:
                T.copy(A, a[0:33])  # ~ error[TL205]: columns 33 to 47 of a
                T.barrier_all()
                T.copy(a[32:48], C[0:16])
            T.barrier_all()
            T.copy(a, C)


@T.prim_func
def summed(A: T.Tensor((16, 64), "float32"), S: T.Tensor((16,), "float32"), B: T.Tensor((16, 10), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 16), "float32")
        s = T.alloc_ub((16,), "float32")
        with T.Scope("V"):
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(A[0:16, 0:10], a[:, 0:10])  # ~ error[TL205]: columns 10 to 15 of a
            T.barrier_all()
            T.copy(a, B[0, 0])  # of which there are ten columns
            T.reduce_sum(a, s, dim=-1)
            T.barrier_all()
            T.copy(s, S)


@T.prim_func
def filled_later(A: T.Tensor((16, 64), "float32"), C: T.Tensor((16, 16), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 16), "float32")
        with T.Scope("V"):
            T.tile.fill(a, 0.0)
            for i in T.serial(2):
                T.barrier_all()
                T.copy(A[0:16, 0:10], a[:, 0:10])
                T.barrier_all()
                T.tile.exp(a, a)
                T.barrier_all()
                T.copy(a, C)


@T.prim_func
def multiplied(
    A: T.Tensor((32, 64), "float16"), B: T.Tensor((64, 32), "float16"), C: T.Tensor((32, 32), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((32, 64), "float16")
        b = T.alloc_L1((64, 32), "float16")
        c = T.alloc_L0C((32, 32), "float32")
        with T.Scope("C"):
            T.copy(A, a)
            T.copy(B, b)
            T.barrier_all()
            T.copy(A[16:32, 32:42], a[0:16, 0:10])  # ~ error[TL205]: columns 10 to 15 of a hold 0
            T.barrier_all()
            T.gemm_v0(a, b, c, init=True)
            T.barrier_all()
            T.copy(c, C)
