"""Parts that the second vector core takes, and loops whose turns depend on the block or on other loops."""

import tilelang.language as T

FP = "float32"


@T.prim_func
def second_core(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP), C: T.Tensor((96,), FP)):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 64), FP)
        y = T.alloc_ub((16,), FP)
        with T.Scope("V"):
            T.copy(A[cid * 32, 0], x)
            T.barrier_all()
            T.tile.exp(x[vid * 16 + 4 : vid * 16 + 20, :], x[vid * 16 : vid * 16 + 16, :])
            # ~^ error[TL308]: reaches 35 in dimension 0 of x, (32, 64), at vid = 1
            T.copy(C[vid * 16], y)
            T.barrier_all()
            y[vid * 16] = y[0]  # ~ error[TL308]: y[vid * 16] reaches 16
            if vid == 0:
                y[vid * 16 + 8] = y[0]
            T.barrier_all()
            T.copy(x[vid * 16, 0], B[cid * 32 + vid * 16 : cid * 32 + vid * 16 + 16, :])


@T.prim_func
def one_core(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), FP)
        with T.Scope("C"):
            # On the cube core there is no second one.
            T.copy(A[cid * 32, 0], a[vid * 64 : vid * 64 + 32, :])


def turns(tiles, cores):
    @T.prim_func
    def main(A: T.Tensor((256, 64), FP), B: T.Tensor((256, 64), FP)):
        with T.Kernel(cores, is_npu=True) as (cid, vid):
            x = T.alloc_ub((8, 64), FP)
            counts = T.alloc_ub((tiles,), FP)
            with T.Scope("V"):
                T.tile.fill(x, 0.0)
                T.tile.fill(counts, 0.0)
                T.barrier_all()
                for turn in T.serial((tiles - cid + cores - 1) // cores):
                    counts[turn * cores + cid] = 1.0
                    counts[turn * cores + cid + 1] = 1.0  # ~ error[TL308]: reaches 16
                    for row in T.serial(turn + 6):
                        T.tile.exp(x[row, :], x[row, :])  # ~ error[TL308]: reaches 8 in dimension 0 of x
                    for row in T.serial(turn):
                        T.tile.exp(x[row, :], x[row, :])
                for turn in T.serial(cid - 8):
                    counts[turn + 32] = 1.0
                for turn in T.serial(vid):
                    counts[turn + 32] = 1.0  # ~ error[TL308]: reaches 32
                T.barrier_all()
                T.copy(x, B[cid * 8, 0])

    return main


turns(16, 4)
