"""Macros are part of the kernel: loops in them are loops, names in them are their own."""

import tilelang.language as T

STEPS = 4


@T.macro
def accumulate(source, total, offset, flag=False):
    part = T.alloc_ub((16, 64), "float32")  # ~ hint part: float32[16,64] UB 4 KiB
    for i in T.serial(STEPS):  # ~ hint i: 0..3
        T.copy(source[offset + i * 16, 0], part)
        T.barrier_all()
        T.tile.add(total, total, part)
        T.barrier_all()
    if flag:
        T.tile.exp(total, total)
        T.barrier_all()


@T.prim_func
def main(A: T.Tensor((128, 64), "float32"), B: T.Tensor((16, 64), "float32")):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        total = T.alloc_ub((16, 64), "float32")
        T.tile.fill(total, 0.0)
        T.barrier_all()
        accumulate(A, total, cid * 64)
        accumulate(A, total, 0, flag=True)
        T.copy(total, B)
