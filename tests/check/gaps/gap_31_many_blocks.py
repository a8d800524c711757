"""More blocks than cores, many times over.

Fewer rounds are as good as any: nothing is told of them.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def of_many(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(n // 32, is_npu=True) as (cid, vid):
        # ~^ hint[TL811]: 500 blocks on 24 cores are 21 rounds, and every block starts anew
            a = T.alloc_ub((32, 64), "float32")
            T.copy(A[cid * 32, 0], a)
            T.tile.exp(a, a)
            T.copy(a, B[cid * 32, 0])

    return main


of_many(32 * 500)
