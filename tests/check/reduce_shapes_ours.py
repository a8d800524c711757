#@ upstream: none
"""Without upstream's rule a result must only be large enough."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32, 64), "float32")
        row = T.alloc_ub((64,), "float32")
        short = T.alloc_ub((16,), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.barrier_all()
            T.reduce_max(a, row)
            T.reduce_max(a, short)  # ~ error[TL309]
