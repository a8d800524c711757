"""Addresses that overlap or lead beyond the memory."""

import tilelang.language as T


@T.prim_func
def overlap(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        b = T.alloc_ub((16, 128), "float16")
        # ~^ error[TL504]: b and a both hold something in bytes 2048 to 4096 of UB
        T.annotate_address({a: 0, b: 2048})
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.copy(A[16, 0], b)
            T.barrier_all()
            T.tile.add(a, a, b)
            T.barrier_all()
            T.copy(a, B[0, 0])


@T.prim_func
def overflow(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        # ~^ error[TL503]: a shall lie at byte 196608 of UB and takes 4096 bytes: it ends at byte 20
        T.annotate_address({a: 196608})
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.barrier_all()
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, B[0, 0])
