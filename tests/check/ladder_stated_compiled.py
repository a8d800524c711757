"""A stated instance is compiled as the calls of the file compile the kernel."""
#@ instance: n=64
#@ instance: n=32768

import tilelang
import tilelang.language as T


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
            T.copy(second, A[0])

    return main


def build(sizes):
    return tilelang.compile(phases(sizes[0]), pass_configs={"tl.ascend_memory_planning": True})


build([64, 128])
