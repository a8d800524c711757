"""A fault in a macro or helper is told where it stands, once."""

import tilelang.language as T


@T.macro
def load(source, target):
    T.copy(source, target)
#   ^^^^^^^^^^^^^^^^^^^^^^ error[TL202]: (64, 32)


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        load(A, a)
        T.barrier_all()
        load(a, B)
