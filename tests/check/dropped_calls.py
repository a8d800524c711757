"""A list of tile calls emits none of them."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 64), "float32")
        [T.copy(A[i * 16, 0], a) for i in range(3)]  # ~ warning[TL109]: T.copy
        T.tile.exp(a, a), T.tile.ln(a, a)  # ~ warning[TL109]: T.tile.exp
        [1, 2]
        for i in range(3):
            T.copy(A[i * 16, 0], a)
