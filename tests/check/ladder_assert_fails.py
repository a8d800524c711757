"""A factory that refuses its arguments: told at the call, with the place of the assert."""
#@ kernels: 1
#@ instance: size=64

import tilelang
import tilelang.language as T


@tilelang.jit
def fill(size):
    assert size % 8 == 0, "size must be a multiple of 8"
    if size > 4096:
        raise ValueError(f"{size} is too large")

    @T.prim_func
    def main(A: T.Tensor((size,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((size,), "float32")
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(a, A[0])

    return main


fill(64)
fill(12)  # ~ error[TL103]: size must be a multiple of 8
fill(8192)  # ~ error[TL103]: ValueError: 8192 is too large
