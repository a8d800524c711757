"""gemm_v0 takes slots in L0A and L0B that the author does not see: two of them where K > 128."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((512, 512), "float16"), C: T.Tensor((512, 512), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((128, 256), "float16")
        b = T.alloc_L1((256, 256), "float16")
        wide = T.alloc_L0C((128, 256), "float32")
        narrow_a = T.alloc_L1((128, 128), "float16")
        narrow_b = T.alloc_L1((128, 256), "float16")
        with T.Scope("C"):
            T.copy(A[0, 0], a)
            T.copy(A[0, 0], b)
            T.copy(A[0, 0], narrow_a)
            T.copy(A[0, 0], narrow_b)
            T.barrier_all()
            T.gemm_v0(a, b, wide, init=True)  # ~ error[TL502]: L0B
            T.barrier_all()
            T.gemm_v0(narrow_a, narrow_b, wide, init=True)
            T.barrier_all()
            T.copy(wide, C[0, 0])
