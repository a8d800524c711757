"""Additions to what GM holds."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float16"), D: T.Tensor((64, 64), "int32")):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32, 64), "float32")
        b = T.alloc_ub((32, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        T.tile.atomic_add(A[cid * 32, 0], a)
        # ~^ warning[TL321]: a is read here before anything has written it
        T.tile.atomic_add(A, c)
        T.tile.atomic_add(a, b)  # ~ error[TL201]: dst of T.tile.atomic_add lies in the UB
        T.tile.atomic_add(A, B)  # ~ error[TL201]: src of T.tile.atomic_add lies in GM
        T.tile.atomic_add(D[cid * 32, 0], a)  # ~ error[TL303]: does not convert
