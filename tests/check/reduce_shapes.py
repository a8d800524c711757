"""Results of reductions: what remains, with or without a 1, or a slice that holds it."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32, 64), "float32")
        row = T.alloc_ub((64,), "float32")
        rows = T.alloc_ub((1, 64), "float32")
        column = T.alloc_ub((32,), "float32")
        columns = T.alloc_ub((32, 1), "float32")
        one = T.alloc_ub((1,), "float32")
        more = T.alloc_ub((8, 64), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.barrier_all()
            T.reduce_max(a, column)
            T.reduce_max(a, columns, dim=1)
            T.reduce_max(a, row, dim=0)
            T.reduce_max(a, rows, dim=-2)
            T.reduce_sum(row, one)
            T.reduce_max(a, more[2, :], dim=0)
            T.reduce_max(a[0:8, :], column[0:8])
            T.reduce_max(a, row, dim=0, real_shape=[32, 60])
            T.reduce_max(a, column, real_shape=[0, 60])
            T.reduce_max(a, rows)  # ~ error[TL309]: T.reduce_max of (32, 64) along dim=-1 gives (32,) or (32, 1), not (1, 64) as rows has
            T.reduce_max(a, row, clear=False)  # ~ error[TL309]: not (64,)
            T.reduce_sum(row, rows)  # ~ error[TL309]
            T.reduce_max(a, column[0:16])  # ~ error[TL309]: not (16,)
            T.reduce_max(a, column, real_shape=[16, 0])  # ~ error[TL309]: gives (16,)
            T.reduce(a, column, "reduce_min", 0)  # ~ error[TL309]


@T.prim_func
def of_three_dimensions(A: T.Tensor((1, 8, 64), "float32"), H: T.Tensor((1, 8, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 8, 64), "float32")
        h = T.alloc_ub((1, 8, 64), "float16")
        deep = T.alloc_ub((1, 1, 8, 64), "float32")
        row = T.alloc_ub((64,), "float32")
        half = T.alloc_ub((64,), "float16")
        few = T.alloc_ub((8,), "float16")
        column = T.alloc_ub((8,), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.copy(H, h)
            T.tile.fill(deep, 1.0)
            T.barrier_all()
            T.reduce_sum(a, column, dim=1)
            T.reduce_sum(a, column, dim=-1)
            T.reduce_sum(a, row, dim=0)
            T.reduce_sum(a, row, dim=-2)
            T.reduce_sum(h, few, dim=1)
            T.reduce_sum(h, half, dim=0)  # ~ error[TL303]: reduce_sum of float16 along dim=0
            T.reduce_sum(a, column, dim=2)  # ~ error[TL106]: counts the last two of three dimensions alone
            T.reduce_sum(a, column, dim=-3)  # ~ error[TL106]: dim=-3 of a tile with the extents (1, 8, 64)
            T.reduce_sum(deep, column, dim=-1)  # ~ error[TL106]: takes tiles of up to three dimensions
