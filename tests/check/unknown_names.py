"""Names that T does not have, or has without a use on Ascend."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float16")
        T.fill(a, 0)  # ~ error[TL104]: T.tile.fill
        T.clear(a)  # ~ error[TL104]: T.tile.clear
        b = T.alloc_local((64,), "float16")  # ~ error[TL104]: alloc_local
        n = T.dynamic("n")  # ~ error[TL104]: T.symbolic
        T.gemm(a, a, a)  # ~ error[TL104]: T.gemm_v0
        T.tile.nonsense(a)  # ~ error[TL104]: T.tile.nonsense
