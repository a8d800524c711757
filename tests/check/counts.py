"""A count of more elements than there are behind the start of a tile."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32"), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), "float32")
        b = T.alloc_ub((8, 64), "float32")
        i = T.alloc_ub((8,), "int32")
        j = T.alloc_ub((64,), "int32")
        with T.Scope("V"):
            T.copy(A[vid * 8, 0], a)
            T.barrier_all()
            T.tile.cast(i, a, "CAST_RINT", 512)  # ~ error[TL302]: count is 512, but i has 8 elements
            T.tile.cast(i, a, "CAST_RINT", 8)
            T.tile.round(b[4, :], a, 256)
            T.tile.round(b[4, :], a, 257)  # ~ error[TL302]: count is 257, but b[4, :] has 256 elements
            T.tile.clamp(b, a, 0.0, 1.0, 513)  # ~ error[TL302]: count is 513, but b has 512
            T.tile.arith_progression(j, 0, 1, 65)  # ~ error[TL302]: count is 65, but j has 64
            for k in T.serial(4):
                # ~v error[TL302]: count is 65 + k, 65 or more, but j has 64 elements
                T.tile.arith_progression(j, 0, 1, 65 + k)
                T.tile.arith_progression(j, 0, 1, 61 + k)
            T.tile.arith_progression(j, 0, 1, n)
            T.barrier_all()
            T.copy(b, C[vid * 8, 0])


@T.prim_func
def of_a_view(C: T.Tensor((16, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), "float32")
        with T.Scope("V"):
            T.tile.fill(a, 1.0)
            T.barrier_all()
            T.tile.round(a, a, 512)
            T.barrier_all()
            T.copy(a, C[vid * 8, 0])
