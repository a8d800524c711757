"""An address behind the end that is no multiple of anything, either, is one fault."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")  # ~ error[TL503]: shall lie at byte 190001 of UB
        b = T.alloc_ub((64, 64), "float32")  # ~ error[TL504]: shall lie at byte 17 of UB, which is no multiple of 32
        T.annotate_address({a: 190001, b: 17})
        with T.Scope("V"):
            T.copy(A, a)
            T.copy(A, b)
            T.barrier_all()
            T.tile.add(a, a, b)
            T.barrier_all()
            T.copy(a, B)
