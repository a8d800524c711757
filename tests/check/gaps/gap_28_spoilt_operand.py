"""Operands that route pto overwrites."""

import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[1],
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True},
    target="pto",
)
def of_pow(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            b = T.alloc_ub((16, 64), "float32")
            T.copy(A[0, 0], a)
            T.tile.sigmoid(b, a)
            # ~^ warning[TL314]: T.tile.sigmoid overwrites a on upstream's route pto, and a is read
            T.tile.add(b, b, a)
            T.copy(b, B[0, 0])

    return main


of_pow(256)
