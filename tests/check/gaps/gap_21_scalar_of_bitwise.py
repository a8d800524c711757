"""A scalar for a bitwise operation."""

import tilelang.language as T


@T.prim_func
def scalar(A: T.Tensor((128,), "int16"), B: T.Tensor((128,), "int16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((128,), "int16")
        with T.Scope("V"):
            T.copy(A[0], a)
            T.barrier_all()
            T.tile.bitwise_and(a, a, 3)
            # ~^ error[TL106]: T.tile.bitwise_and takes a tile as src1, no scalar
            T.barrier_all()
            T.copy(a, B[0])
