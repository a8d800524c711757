"""`from tilelang.language import *`."""

from tilelang.language import *


@prim_func
def main(A: Tensor((64,), "float32")):
    with Kernel(1, is_npu=True) as (cid, vid):
        a = alloc_ub((64,), "float32")  # ~ hint a: float32[64] UB 256 B
        copy(A[0], a)
        tile.add(a, a, 1.0)
        tile.nonsense(a)  # ~ error[TL104]: T.tile.nonsense
