"""A matrix product whose tiles are 512 columns wide: too wide for L0B."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def product(rows, columns, depth, block_M, block_N, block_K, dtype="float16"):
    across = columns // block_N

    @T.prim_func
    def kernel(
        A: T.Tensor((rows, depth), dtype),
        B: T.Tensor((depth, columns), dtype),
        C: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel((rows // block_M) * across, is_npu=True) as (block, _):
            top = (block // across) * block_M
            left = (block % across) * block_N
            A_L1 = T.alloc_L1((block_M, block_K), dtype)
            B_L1 = T.alloc_L1((block_K, block_N), dtype)
            total = T.alloc_L0C((block_M, block_N), "float32")
            with T.Scope("C"):
                for step in T.serial(depth // block_K):
                    T.copy(A[top, step * block_K], A_L1)
                    T.copy(B[step * block_K, left], B_L1)
                    T.barrier_all()
                    T.gemm_v0(A_L1, B_L1, total, init=(step == 0))
                    T.barrier_all()
                T.copy(total, C[top, left])

    return kernel


compiled = product(1024, 1024, 512, block_M=64, block_N=512, block_K=128)
