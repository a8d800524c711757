"""What functions of T make of numbers outside of a kernel is a number with a `value`."""

import tilelang.language as T


def factory(n):
    count = T.min(T.ceildiv(n, 64), 2).value

    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((count * 32,), "float32")  # ~ hint a: float32[64] UB 256 B
            T.copy(A[0:64], a)

    return main


factory(1024)
