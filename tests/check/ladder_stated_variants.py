"""Of a stated instance that calls compile in several ways, what holds in each of them is told."""

import tilelang
import tilelang.language as T

PLANNED = {"tl.ascend_memory_planning": True}


# tl: instance n=32768
def phases(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            first = T.alloc_ub((n,), "float32")
            second = T.alloc_ub((n,), "float32")
            T.copy(A[0], first)
            T.barrier_all()
            T.copy(first, B[0])
            T.barrier_all()
            T.copy(B[0], second)
            T.barrier_all()
            T.copy(second, A[32768])  # ~ warning[TL308]: begins at 32768

    return main


small = phases(64)
tilelang.compile(small, pass_configs=PLANNED)
tilelang.compile(small, pass_configs={})
