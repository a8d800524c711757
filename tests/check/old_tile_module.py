"""tilelang.language.pto, the old copy of the operations of tiles: told, and checked as what it stands for."""

import tilelang.language as T
import tilelang.language.pto as P
from tilelang.language.pto import barrier_all  # ~ hint[TL124]: use T.barrier_all


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float16")
        b = T.alloc_ub((32, 64), "float16")
        with T.Scope("V"):
            T.copy(A, a)
            P.barrier_all()
            P.exp(a, a)
#             ^^^ hint[TL124]: tilelang.language.pto.exp is deprecated: use T.tile.exp
            P.add(a, a, b)  # ~ error[TL302]: b has 2048 elements
            barrier_all()
            T.copy(a, B)
