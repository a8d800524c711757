"""An operation that automatic synchronisation does not know.

Pairs of pipes for which upstream has no event share no memory on the chip, so that nothing is to be ordered.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[1],
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True},
    target="pto",
)
def of_noentry(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            s = T.alloc_ub((16, 1), "float32")
            b = T.alloc_ub((16, 64), "float32")
            T.copy(A[0, 0], a)
            T.reduce_sum(a, s, dim=-1)
            T.tile.row_expand_mul(b, a, s)
            # ~^ warning[TL416]: upstream's automatic synchronisation passes T.tile.row_expand_mul o
            T.copy(b, B[0, 0])

    return main


of_noentry(256)
