"""Rows and addresses that are no whole blocks."""

import tilelang.language as T


@T.prim_func
def ub(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 17), "float16")
        with T.Scope("V"):
            T.copy(A[0:16, 0:17], a)
            # ~^ error[TL205]: 16 rows of a with 34 bytes per row: a transfer of several rows puts e
            T.barrier_all()
            T.copy(a, B[0:16, 0:17])


@T.prim_func
def addr(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        # ~^ error[TL504]: a shall lie at byte 16 of UB, which is no multiple of 32
        T.annotate_address({a: 16})
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.barrier_all()
            T.copy(a, B[0, 0])


@T.prim_func
def l0(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        la = T.alloc_L0A((64, 128), "float16")
        # ~^ error[TL504]: la shall lie at byte 256 of L0A, which is no multiple of 512
        lb = T.alloc_L0B((128, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        T.annotate_address({la: 256, lb: 0, c: 0, x: 0, y: 65536})
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.copy(x, la)
            T.copy(y, lb)
            T.barrier_all()
            T.mma(la, lb, c, init=True)
            T.barrier_all()
            T.copy(c, C[0, 0])
