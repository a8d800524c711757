"""Factories made by a function differ by what they captured, not by their arguments."""

import tilelang
import tilelang.language as T


def build(rows, big):
    @tilelang.jit
    def fac():
        @T.prim_func
        def main(A: T.Tensor((rows, 100), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_ub((big, 100), "float32")  # ~ error[TL503]: 256000
                T.copy(A[0, 0], a[0:1, :])

        return main

    return fac()


build(256, 10)
build(128, 640)


class Layer:
    def __init__(self, n):
        self.n = n

    @tilelang.jit
    def kernel(self):
        n = self.n

        @T.prim_func
        def main(A: T.Tensor((n,), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_ub((n,), "float32")  # ~ hint a: float32[80] UB 320 B
                T.copy(A[0], a)

        return main


Layer(80).kernel()
