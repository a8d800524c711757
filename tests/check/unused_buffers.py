"""Buffers that no statement names, in any instance, and that have no address of the author's."""

import tilelang
import tilelang.language as T

FP = "float16"


@tilelang.jit(out_idx=[1])
def build(cast):
    @T.prim_func
    def main(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), FP)
            sometimes = T.alloc_ub((64, 64), "float32")
            never = T.alloc_ub((64, 64), FP)  # ~ hint[TL812]: nothing in the kernel uses never
            viewed = T.alloc_ub((64, 64), FP)
            flat = T.view(viewed, (4096,))
            placed = T.alloc_ub((64, 64), FP)
            counter = T.alloc_var("int32", init=0)  # ~ hint[TL812]: nothing in the kernel uses counter
            index = T.alloc_var("int32", init=0)
            T.annotate_address({placed: 131072})
            T.copy(A, a)
            T.barrier_all()
            if cast:
                T.tile.cast(sometimes, a, "CAST_NONE", 4096)
                T.barrier_all()
                T.tile.cast(a, sometimes, "CAST_RINT", 4096)
            T.tile.fill(flat, 0.0)
            T.barrier_all()
            T.copy(a[index, :], B[0, :])
            T.pipe_barrier("mte3")
            T.copy(a, B)

    return main


build(True)
build(False)
