"""Reductions look for each row at the next multiple of 32 bytes, however the tile was filled."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        odd = T.alloc_ub((8, 9), "float32")
        half = T.alloc_ub((8, 24), "float16")
        upright = T.alloc_ub((8, 1), "float32")
        padded = T.alloc_ub((8, 16), "float32")
        wide = T.alloc_ub((8, 64), "float32")
        row = T.alloc_ub((9,), "float32")
        single = T.alloc_ub((1, 9), "float32")
        out = T.alloc_ub((8,), "float32")
        out_half = T.alloc_ub((8,), "float16")
        column = T.alloc_ub((9,), "float32")
        one = T.alloc_ub((1,), "float32")
        with T.Scope("V"):
            T.tile.fill(odd, 2.0)
            T.reduce_max(odd, out)  # ~ error[TL304]: the rows of odd are 36 bytes apart; T.reduce_max looks for 8 rows of 9 elements 64 bytes apart
            T.reduce_min(odd, column, dim=0)  # the same rows, told once
            T.reduce_sum(odd, out, real_shape=[8, 8])  # ~ error[TL304]: 8 rows of 8 elements 32 bytes apart
            T.reduce_max(odd[2:4, :], out[0:2])
            T.reduce_sum(half, out_half)  # ~ error[TL304]: are 48 bytes apart; T.reduce_sum looks for 8 rows of 24 elements 64
            T.reduce_sum(upright, one, dim=0)  # ~ error[TL304]: 8 rows of 1 elements 32 bytes apart
            T.reduce_max(wide, out, real_shape=[8, 48])  # ~ error[TL304]: the rows of wide are 256 bytes apart; T.reduce_max looks for 8 rows of 48 elements 192 bytes apart
            T.reduce_max(padded, out, real_shape=[8, 9])
            T.reduce_sum(wide, out, real_shape=[8, 57])
            T.reduce_max(odd, one, real_shape=[1, 0])
            T.reduce_max(odd[3, :], one)
            T.reduce_sum(row, one)
            T.reduce_sum(single, one)
            T.reduce_max(wide, out)
