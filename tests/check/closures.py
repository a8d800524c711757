"""A kernel sees what its factory and module computed: constants, flags, lists, functions."""
#@ instance: M=256, tiles=[32, 64], wide=True
#@ instance: M=256, tiles=[32, 64], wide=False

import tilelang
import tilelang.language as T

BYTES = {"float32": 4, "float16": 2}
LIMIT = 192 * 1024


def fitting(dtype, width):
    rows = LIMIT // (width * BYTES[dtype] * 2)
    while rows & (rows - 1):
        rows &= rows - 1
    return rows


@tilelang.jit(out_idx=[1])
def build(M, tiles, wide):
    width = max(tiles)
    dtype = "float32" if wide else "float16"
    rows = min(fitting(dtype, width), M)

    @T.prim_func
    def main(A: T.Tensor((M, width), dtype), B: T.Tensor((M, width), dtype)):
        with T.Kernel(T.ceildiv(M, rows), is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, width), dtype)
            if wide:
                b = T.alloc_ub((rows, width), dtype)
                T.tile.fill(b, 1.0)
                T.barrier_all()
            T.copy(A[cid * rows, 0], a)
            T.barrier_all()
            if wide:
                T.tile.add(a, a, b)
                T.barrier_all()
            T.copy(a, B[cid * rows, 0])

    return main


for wide in (True, False):
    build(256, [32, 64], wide)
