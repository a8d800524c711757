"""Copies within the UB of what is no whole number of blocks, which upstream's template rounds down."""

import tilelang
import tilelang.language as T


def build(route):
    @tilelang.jit(out_idx=[1], target=route)
    def kernel():
        @T.prim_func
        def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_ub((64, 64), "float16")
                b = T.alloc_ub((64, 64), "float16")
                f = T.alloc_ub((64, 64), "float32")
                with T.Scope("V"):
                    T.copy(A, a)
                    T.copy(A, b)
                    T.barrier_all()
                    T.copy(a[0, 0:8], b[0, 0:8])  # ~ warning[TL205]: 8 elements, 16 bytes: upstream's copy within the UB moves whole blocks of 32 bytes, which is none of them
                    T.copy(a[1, 0:20], b[1, 0:20])  # ~ warning[TL205]: 20 elements, 40 bytes: upstream's copy within the UB moves whole blocks of 32 bytes, which is 16 of them
                    T.copy(a[2:6, 0:24], b[2:6, 0:24])  # ~ warning[TL205]: a row of 24 elements, 48 bytes
                    T.copy(a[8, 0:32], b[8, 0:32])
                    T.copy(a[0:4, 0:16], b[12:16, 0:16])
                    T.copy(a[9, 0:8], f[9, 0:8])
                    T.barrier_all()
                    T.copy(b, B)

        return main

    return kernel()


build("ascendc")


@tilelang.jit(out_idx=[1], target="pto")
def on_pto():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), "float16")
            b = T.alloc_ub((64, 64), "float16")
            with T.Scope("V"):
                T.copy(A, a)
                T.copy(A, b)
                T.barrier_all()
                T.copy(a[0, 0:8], b[0, 0:8])
                T.barrier_all()
                T.copy(b, B)

    return main


on_pto()
