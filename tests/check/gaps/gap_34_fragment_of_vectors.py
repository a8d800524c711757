"""alloc_fragment that only vector operations use."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def of_fragment(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a = T.alloc_fragment((64,), "float32")
            # ~^ warning[TL204]: a is operand dst of T.tile.exp and is kept in the UB; upstream's co
            T.copy(A[cid * 64], a)
            T.tile.exp(a, a)
            T.copy(a, B[cid * 64])

    return main


of_fragment(256)
