"""Blocks write all of a tensor that jit allocates, and each of them something."""

import tilelang
import tilelang.language as T

FP = "float32"


@tilelang.jit(out_idx=[1])
def build(n, blocks, rows):
    @T.prim_func
    def main(A: T.Tensor((n, 64), FP), B: T.Tensor((n, 64), FP)):
        with T.Kernel(blocks, is_npu=True) as (cid, vid):  # ~ hint[TL811]: blocks 32 to 63 have nothing to write: B[cid * 32:cid * 32 + 32, :] begins behind the end of B there
            a = T.alloc_ub((rows, 64), FP)
            with T.Scope("V"):
                T.copy(A[cid * rows, 0], a)
                T.barrier_all()
                T.copy(a, B[cid * rows, 0])
                # ~^ warning[TL803]: 512 of the 1024 rows of B are never written by 16 blocks, row 512 the first

    return main


build(1024, 32, 32)
build(1024, 16, 32)
build(1024, 64, 32)
build(1000, 32, 32)


@tilelang.jit(out_idx=[1])
def of_one_core(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), FP), B: T.Tensor((n, 64), FP)):
        with T.Kernel(n // 64, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, 64), FP)
            with T.Scope("V"):
                if vid == 0:
                    T.copy(A[cid * 64, 0], a)
                    T.barrier_all()
                    T.copy(a, B[cid * 64, 0])
                    # ~^ warning[TL803]: 512 of the 1024 rows of B are never written by 16 blocks, row 32 the first

    return main


of_one_core(1024)


@tilelang.jit(out_idx=[1])
def by_data(n, rows):
    @T.prim_func
    def main(A: T.Tensor((n, 64), FP), B: T.Tensor((n, 64), FP), order: T.Tensor((8,), "int32")):
        with T.Kernel(8, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, 64), FP)
            with T.Scope("V"):
                T.copy(A[order[cid] * rows, 0], a)
                T.barrier_all()
                T.copy(a, B[order[cid] * rows, 0])

    return main


by_data(1024, 32)


@tilelang.jit(out_idx=[])
def of_the_caller(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), FP), B: T.Tensor((n, 64), FP)):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, 64), FP)
            with T.Scope("V"):
                T.copy(A[cid * 32, 0], a)
                T.barrier_all()
                T.copy(a, B[cid * 32, 0])

    return main


of_the_caller(1024)
