"""The name of an element is where a tile starts, as the element itself is."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(64, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")  # ~ hint a: float32[1,64] UB 256 B
        row = A[cid, 0]
        target = B[cid, 0]
        with T.Scope("V"):
            T.copy(row, a)  # ~ hint GM->UB 256 B
            T.barrier_all()
            T.copy(a, target)
