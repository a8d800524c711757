"""An accumulator that nothing sets is told once; one that something may set is not."""

import tilelang.language as T


@T.prim_func
def main(
    A: T.Tensor((64, 64), "float16"),
    B: T.Tensor((64, 64), "float16"),
    C: T.Tensor((64, 64), "float16"),
    first: T.int32,
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        never = T.alloc_L0C((64, 64), "float")
        maybe = T.alloc_L0C((64, 64), "float")
        later = T.alloc_L0C((64, 64), "float")
        with T.Scope("C"):
            T.copy(A, a)
            T.copy(B, b)
            T.barrier_all()
            T.gemm_v0(a, b, never)  # ~ warning[TL306]: never is never set
            T.gemm_v0(a, b, never, init=False)
            T.gemm_v0(a, b, maybe, init=(first == 0))
            T.gemm_v0(a, b, maybe)
            for k in T.serial(4):
                T.gemm_v0(a, b, later, init=(k == 0))
            T.barrier_all()
            T.copy(maybe, C)
