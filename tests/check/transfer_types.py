"""Transfers between GM and a core do not convert; copies within the UB and out of L0C do."""

import tilelang.language as T


@T.prim_func
def main(
    A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "int8")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        wide = T.alloc_ub((64, 64), "float32")
        half = T.alloc_ub((64, 64), "float16")
        left = T.alloc_L1((64, 64), "float16")
        out = T.alloc_L0C((64, 64), "float32")
        with T.Scope("V"):
            T.copy(A, wide)  # ~ error[TL303]: A holds float16 and wide float32: a transfer from GM to UB
            T.copy(A, half)
            T.barrier_all()
            T.copy(half, wide)
            T.barrier_all()
            T.copy(wide, A)  # the same two once more
            T.copy(wide, B)
        with T.Scope("C"):
            T.copy(C, left)  # ~ error[TL303]: a transfer from GM to L1 does not convert
            T.pipe_barrier("mte2")
            T.copy(A, left)
            T.barrier_all()
            T.gemm_v0(left, left, out, init=True)
            T.barrier_all()
            T.copy(out, A)
