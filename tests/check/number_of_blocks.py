"""A launch has at least one block; where a division leaves none, its rest is what is told."""

import tilelang
import tilelang.language as T

FP = "float32"


@tilelang.jit(out_idx=[1])
def build(blocks):
    @T.prim_func
    def main(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
        with T.Kernel(blocks, is_npu=True) as (cid, vid):  # ~ warning[TL106]: 0 blocks: the kernel never runs # ~ error[TL106]: -1 blocks: a launch has at least one
            a = T.alloc_ub((64, 64), FP)
            T.copy(A, a)
            T.barrier_all()
            T.copy(a, B)

    return main


build(0)
build(-1)
build(1)
build(True)


@tilelang.jit(out_idx=[1])
def no_number(blocks):
    @T.prim_func
    def main(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
        with T.Kernel(blocks, is_npu=True) as (cid, vid):  # ~ error[TL106]: the number of blocks is an integer, not 2.5
            a = T.alloc_ub((64, 64), FP)
            T.copy(A, a)
            T.barrier_all()
            T.copy(a, B)

    return main


no_number(2.5)
no_number("4")


@tilelang.jit(out_idx=[1])
def rounded(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), FP), B: T.Tensor((n, 64), FP)):
        with T.Kernel(n // 64, is_npu=True) as (cid, vid):
            #         ^^^^^^^ warning[TL803]: 32 // 64 is 0, which covers 0
            a = T.alloc_ub((64, 64), FP)
            T.copy(A[cid * 64, 0], a)
            T.barrier_all()
            T.copy(a, B[cid * 64, 0])

    return main


rounded(32)


@T.prim_func
def some(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP), n: T.int32):
    with T.Kernel(n, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), FP)
        T.copy(A[cid, 0], a)
        T.barrier_all()
        T.copy(a, B[cid, 0])
