"""A mask has a bit for each element, in whatever type it is kept."""

import tilelang
import tilelang.language as T


@tilelang.jit
def masks(rows, N):
    @T.prim_func
    def main(A: T.Tensor((rows, N), "float32"), B: T.Tensor((rows, N), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, N), "float32")
            b = T.alloc_ub((rows, N), "float32")
            just = T.alloc_ub((rows, N // 8), "uint8")
            flat = T.alloc_ub((rows * N // 8,), "uint8")
            half = T.alloc_ub((rows, N // 16), "uint8")
            few = T.alloc_ub((N // 16,), "uint8")
            wide = T.alloc_ub((rows, N // 32), "uint32")
            short = T.alloc_ub((rows, N // 64), "uint32")
            one = T.alloc_ub((N // 8,), "uint8")
            with T.Scope("V"):
                T.copy(A, a)
                T.copy(B, b)
                T.tile.fill(short, 1)
                T.tile.fill(wide, 1)
                T.barrier_all()
                T.tile.compare(just, a, b, "GT")
                T.tile.compare(flat, a, 0.0, "GT")
                T.tile.compare(half, a, b, "GT")
                #              ^^^^ error[TL302]: writes 512 bytes of half, one bit for each of the 4096 elements of a; it has 256
                T.barrier_all()
                T.tile.select(a, half, a, b, "VSEL_TENSOR_TENSOR_MODE")
                T.tile.select(a, wide, a, b, "VSEL_TENSOR_TENSOR_MODE")
                T.tile.select(a, short, a, 0.0, "VSEL_TENSOR_SCALAR_MODE")
                #                ^^^^^ error[TL302]: reads 512 bytes of short
                T.tile.select(a, short, a, b, "VSEL_CMPMASK_SPR")
                T.tile.select(a, flat, a, b, "VSEL_TENSOR_TENSOR_MODE")
                T.barrier_all()
                for i in T.serial(rows):
                    T.tile.compare(just[i, :], a[i, :], 0.0, "GT")
                    T.tile.compare(one, a[i, :], 0.0, "GT")
                    T.tile.compare(few, a[i, :], 0.0, "GT")  # ~ error[TL302]: writes 32 bytes of few
                    T.barrier_all()
                T.copy(a, B)

    return main


masks(16, 256)
