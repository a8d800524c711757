"""A kernel that is compiled in two ways is checked in both."""
#@ instance: n=32768
#@ instance: n=32768

import tilelang
import tilelang.language as T


def phases(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            first = T.alloc_ub((n,), "float32")
            second = T.alloc_ub((n,), "float32")  # ~ error[TL503]: 262144
            T.copy(A[0], first)
            T.barrier_all()
            T.copy(first, B[0])
            T.barrier_all()
            T.copy(B[0], second)
            T.barrier_all()
            T.copy(second, A[0])

    return main


kernel = phases(32768)
tilelang.compile(kernel, pass_configs={"tl.ascend_memory_planning": False})
tilelang.compile(kernel, pass_configs={"tl.ascend_memory_planning": True})
