"""Arguments are followed through helper functions, keywords, tuples and arithmetic."""
#@ instance: M=2048, block=512, dtype="float16"
#@ instance: M=96, block=32, dtype="int32"

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(M, block, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M,), dtype), B: T.Tensor((M,), dtype)):
        with T.Kernel(M // block, is_npu=True) as (cid, vid):
            a_ub = T.alloc_ub((block,), dtype)
            with T.Scope("V"):
                T.copy(A[cid * block], a_ub)
                T.barrier_all()
                T.tile.mul(a_ub, a_ub, 2.0)
                T.barrier_all()
                T.copy(a_ub, B[cid * block])

    return main


def tile_of(M, *, parts=4):
    return M // parts


def build(shape, dtype="float16"):
    M, *rest = shape
    options = dict(dtype=dtype)
    return scale(M, tile_of(M, parts=rest[0]), **options)


build((2048, 4))
build(shape=[96, 3], dtype="int32")
