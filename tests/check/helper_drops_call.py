"""A tile call that a plain function builds and drops emits nothing: a trap worth a word."""

import tilelang.language as T


def load(source, target):
    T.copy(source, target)  # ~ warning[TL109]: T.copy


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        load(A, a)
        T.barrier_all()
        T.copy(a, B)
