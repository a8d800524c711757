"""A last step along K on route pto."""

import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[2],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_memory_planning": True,
        "tl.ascend_auto_cv_combine": True,
        "tl.ascend_auto_cross_core_sync": True,
    },
    target="pto",
)
def of_ktail(n):
    @T.prim_func
    def main(
        A: T.Tensor((64, n), "float16"),
        W: T.Tensor((n, 64), "float16"),
        B: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            x = T.alloc_L1((64, 192), "float16")
            y = T.alloc_L1((192, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            T.copy(A[0, 0], x)
            T.copy(W[0, 0], y)
            T.gemm_v0(x, y, c, init=True)
            # ~^ error[TL312]: K is 192: 2 steps of 128, and the last one has 64 elements, no multip
            T.copy(c, B[0, 0])

    return main


of_ktail(192)
