"""Scalar parameters of other types."""

import tilelang.language as T


@T.prim_func
def scalar(A: T.Tensor((1024, 1024), "float16"), B: T.Tensor((1024, 1024), "float16"), s: T.int64):
# ~^ warning[TL122]: s is int64; upstream's launch passes a Python number as 32 bits
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        with T.Scope("V"):
            T.copy(A[s, 0], a)
            T.barrier_all()
            T.copy(a, B[0, 0])
