"""Copies between the cores, which lead through GM.

tl-ascend makes the workspace itself, for each copy one.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[1],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_memory_planning": True,
        "tl.ascend_auto_cv_combine": True,
        "tl.ascend_auto_cross_core_sync": True,
    },
)
def of_roundtrip(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float16"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            b = T.alloc_L1((64, 64), "float16")
            u = T.alloc_ub((64, 64), "float32")
            c = T.alloc_L0C((64, 64), "float32")
            T.copy(A[cid * 64, 0], a)
            T.copy(A[0, 0], b)
            T.gemm_v0(a, b, c, init=True)
            T.copy(c, u)
            # ~^ hint[TL816]: L0C to UB has no path on the chip: this copy leads through a workspace in GM, 16384 bytes there and back
            T.tile.exp(u, u)
            T.copy(u, B[cid * 64, 0])

    return main


of_roundtrip(256)
