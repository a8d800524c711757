"""Buffers that nothing uses, and two of one name.

tl-ascend gives an unused buffer no memory where it plans.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def of_unused(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            b = T.alloc_ub((16, 64), "float32")
            # ~^ hint[TL812]: nothing in the kernel uses b
            T.copy(A[0, 0], a)
            T.tile.exp(a, a)
            T.copy(a, B[0, 0])

    return main


of_unused(256)


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def of_duplicate(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            T.copy(A[0, 0], a)
            T.tile.exp(a, a)
            T.copy(a, B[0, 0])
            a = T.alloc_ub((16, 64), "float32")
            # ~^ warning[TL509]: a second buffer with the name a: with tl.ascend_memory_planning ups
            T.copy(A[16, 0], a)
            T.tile.exp(a, a)
            T.copy(a, B[16, 0])

    return main


of_duplicate(256)
