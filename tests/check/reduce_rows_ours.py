#@ upstream: none
"""Whoever compiles it: the device call knows no distance between rows."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((8, 9), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        odd = T.alloc_ub((8, 9), "float32")
        wide = T.alloc_ub((8, 64), "float32")
        out = T.alloc_ub((8,), "float32")
        with T.Scope("V"):
            T.copy(A, odd)
            T.tile.fill(wide, 2.0)
            T.barrier_all()
            T.reduce_max(odd, out)  # ~ error[TL304]: the rows of odd are 36 bytes apart
            T.barrier_all()
            T.reduce_max(wide[:, 0:32], out)  # ~ error[TL304]: 8 rows of 32 elements 128 bytes apart
            T.reduce_max(wide[:, 0:64], out)
