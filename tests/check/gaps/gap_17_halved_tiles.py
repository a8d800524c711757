"""Tiles that threads=2 halves to no good."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def of_odd(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(4, threads=2, is_npu=True) as cid:
            a = T.alloc_ub((17, 64), "float32")
            # ~^ warning[TL803]: a has 17 rows: with threads=2 each vector core has 8 of them in ups
            T.copy(A[cid * 17, 0], a)
            T.tile.exp(a, a)
            T.copy(a, B[cid * 17, 0])

    return main


of_odd(68)
