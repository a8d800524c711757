"""T.mma takes its operands from L0A and L0B."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((512, 512), "float16"), C: T.Tensor((512, 512), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        l1 = T.alloc_L1((64, 64), "float16")
        a = T.alloc_L0A((64, 64), "float16")
        b = T.alloc_L0B((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], l1)
            T.barrier_all()
            T.copy(l1, a)
            T.copy(l1, b)
            T.barrier_all()
            T.mma(a, b, c, init=True)
            T.mma(b, a, c)  # ~ error[TL301]: b lies in L0B
            T.mma(l1, b, c)  # ~ error[TL301]: l1 lies in L1
            T.barrier_all()
            T.copy(c, C[0, 0])
