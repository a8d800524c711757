"""A buffer that both cores work on."""

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
def of_both(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float16"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A[cid * 64, 0], a)
            T.copy(A[0, 0], b)
            T.tile.exp(a, a)
            # ~^ error[TL204]: a is operand A of T.gemm_v0, so it lies in L1, and also operand dst
            T.gemm_v0(a, b, c, init=True)
            T.copy(c, B[cid * 64, 0])

    return main


of_both(256)
