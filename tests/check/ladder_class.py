"""A factory in a class: built by an object, with its attributes."""
#@ instance: block=64

import tilelang
import tilelang.language as T


class Operator:
    dtype = "float32"

    def __init__(self, size):
        self.size = size
        self.kernel = self.build(block=64)

    def build(self, block):
        size, dtype = self.size, self.dtype

        @T.prim_func
        def main(A: T.Tensor((size,), dtype)):
            with T.Kernel(size // block, is_npu=True) as (cid, vid):  # ~ hint cid: 0..3 # ~ hint vid: 0..1
                a = T.alloc_ub((block,), dtype)  # ~ hint a: float32[64] UB 256 B
                T.tile.fill(a, 0.0)
                T.barrier_all()
                T.copy(a, A[cid * block])

        return tilelang.compile(main, out_idx=[-1])


operator = Operator(256)
