"""Rows without gaps on both sides are one row for this compiler, whatever their length."""
#@ upstream: none

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 5), "float32"), B: T.Tensor((64, 6), "float32")):
    with T.Kernel(16, is_npu=True) as (cid, vid):
        rows = T.alloc_ub((4, 5), "float32")
        with T.Scope("V"):
            T.copy(A[cid * 4, 0], rows)
            T.copy(B[cid * 4, 0], rows)  # ~ error[TL205]: 4 rows of rows with 20 bytes per row
