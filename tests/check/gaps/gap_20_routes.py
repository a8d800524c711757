"""Operations that a route lacks."""

import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[1],
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True},
    target="pto",
)
def of_pto(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            T.copy(A[0, 0], a)
            T.tile.sin(a, a)
            # ~^ warning[TL319]: T.tile.sin: upstream's compiler has no code for it on route pto
            T.copy(a, B[0, 0])

    return main


of_pto(256)


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def of_ac(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            s = T.alloc_ub((16, 1), "float32")
            b = T.alloc_ub((16, 64), "float32")
            T.copy(A[0, 0], a)
            T.tile.fill(s, 1.0)
            T.tile.row_expand_mul(b, a, s)
            # ~^ warning[TL319]: T.tile.row_expand_mul: upstream's compiler has no code for it on ro
            T.copy(b, B[0, 0])

    return main


of_ac(256)
