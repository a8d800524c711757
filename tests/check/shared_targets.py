"""Blocks that write the same place of a tensor, each with data of its own."""

import tilelang.language as T


@T.prim_func
def main(
    A: T.Tensor((64, 32), "float32"),
    B: T.Tensor((64, 32), "float32"),
    SUM: T.Tensor((1, 32), "float32"),
    ZERO: T.Tensor((1, 32), "float32"),
    FIRST: T.Tensor((1, 32), "float32"),
):
    with T.Kernel(64, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 32), "float32")
        zero = T.alloc_ub((1, 32), "float32")
        with T.Scope("V"):
            T.copy(A[cid, 0], a)
            T.tile.fill(zero, 0.0)
            T.barrier_all()
            T.copy(a, B[0, 0])  # ~ warning[TL411]: each of the 64 blocks writes B[0, :] with data of its own
            T.copy(a, B[cid, 0])
            T.tile.atomic_add(SUM, a)
            T.copy(zero, ZERO)
            if cid == 0:
                T.copy(a, FIRST)
