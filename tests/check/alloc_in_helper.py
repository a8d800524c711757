"""Helpers may allocate: each call makes buffers of its own, named where they are bound."""

import tilelang
import tilelang.language as T


def tile(rows, columns=64):
    return T.alloc_ub((rows, columns), "float32")


def pair(rows):
    return tile(rows), tile(rows, 32)


def slots(count):
    return [tile(8) for _ in range(count)]


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = tile(64)  # ~ hint a: float32[64,64] UB 16 KiB
        b, c = pair(16)  # ~ hint b: float32[16,64] UB 4 KiB # ~ hint c: float32[16,32] UB 2 KiB
        ring = slots(3)
        T.tile.fill(a, 0.0)
        T.tile.fill(b, 0.0)
        T.tile.fill(c, 0.0)
        for s in T.serial(8):
            T.copy(A[s * 8, 0], ring[0])
            T.copy(A[s * 8, 0], ring[2])
        T.barrier_all()
        T.copy(ring[3], A[0, 0])  # ~ error[TL103]: index 3 of a sequence of 3 elements
        T.copy(a, A)
