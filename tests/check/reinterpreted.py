"""T.reinterpret keeps the bits, so it is no conversion and nothing folds it; both types are as wide."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "int32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "int32")
        with T.Scope("V"):
            T.copy(A, a)
            T.barrier_all()
            b[0] = T.reinterpret("int32", a[0])
            T.barrier_all()
            T.copy(b, B)
