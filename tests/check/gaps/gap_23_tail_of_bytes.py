"""A tail of a type that is not padded."""

import tilelang.language as T


@T.prim_func
def int8(A: T.Tensor((100,), "int8"), B: T.Tensor((100,), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "int8")
        b = T.alloc_ub((64,), "float16")
        with T.Scope("V"):
            T.copy(A[64], a)
            # ~^ info[TL327]: the rest of a keeps what was there: this copy goes over the end of the tensor, and upstream's template fills no elements of int8
            T.barrier_all()
            T.tile.cast(b, a, "CAST_NONE", 64)
            T.barrier_all()
            T.copy(b, B[64])
