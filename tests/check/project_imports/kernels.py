"""A file that only defines kernels has the instances that files which import it make."""
#@ instance: n=4096, tile=256

import tilelang
import tilelang.language as T
from shapes import DTYPE, tile_of


@tilelang.jit(out_idx=[-1])
def scale(n, tile):
    @T.prim_func
    def main(A: T.Tensor((n,), DTYPE), B: T.Tensor((n,), DTYPE)):
        with T.Kernel(n // tile, is_npu=True) as (cid, vid):  # ~ hint cid: 0..15 # ~ hint vid: 0..1
            a = T.alloc_ub((tile,), DTYPE)  # ~ hint a: bfloat16[256] UB 512 B
            T.copy(A[cid * tile], a)
            T.barrier_all()
            T.copy(a, B[cid * tile])

    return main


def build(n):
    return scale(n, tile_of(n))
