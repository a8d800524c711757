"""Blocks that take one tile after the other."""

import tilelang
import tilelang.language as T


def kernel(rows, columns, blocks, group=8):
    @T.prim_func
    def main(A: T.Tensor((rows * 64, columns * 64), "float32")):
        with T.Kernel(blocks, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), "float32")
            # ~v error[TL106]: groups of 8 do not divide the 12 columns
            for bx, by in T.Persistent([rows, columns], blocks, cid, group):
                T.copy(A[bx * 64, by * 64], a)
                T.tile.add(a, a, 1.0)
                T.copy(a, A[bx * 64, by * 64])

    return main


kernel(4, 16, 24)
kernel(4, 12, 24)  # this one has the mistake
kernel(4, 12, 24, group=4)


def few(rows, columns, blocks):
    @T.prim_func
    def main(A: T.Tensor((rows * 64, columns * 64), "float32")):
        with T.Kernel(blocks, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), "float32")
            # ~v error[TL106]: the domain has 4 tiles and a wave 8
            for bx, by in T.Persistent([rows, columns], blocks, cid):
                T.copy(A[bx * 64, by * 64], a)
                T.tile.add(a, a, 1.0)
                T.copy(a, A[bx * 64, by * 64])

    return main


few(2, 2, 8)


@T.prim_func
def one_name(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        for b in T.Persistent([4, 4], 1, cid):  # ~ error[TL106]: 2 indices, but 1 names
            T.barrier_all()
