#@ emit: ascendc
"""Tiles of 8 rows lie in fractals of 16; the second slot begins behind whole ones, the next tile behind
both."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def product(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((2, M, K), "float16"), B: T.Tensor((2, K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((2, M, K), "float16")
            b = T.alloc_L1((2, K, N), "float16")
            c = T.alloc_L0C((M, N), "float32")
            with T.Scope("C"):
                for i in T.serial(2):
                    T.copy(A[i, 0, 0], a[i, :, :])
                    T.copy(B[i, 0, 0], b[i, :, :])
                for i in T.serial(2):
                    T.gemm_v0(a[i, :, :], b[i, :, :], c, init=(i == 0))
                T.copy(c, C)

    return main


product(8, 64, 64)

# CHECK: auto a = ascend_l1.GetWithOffset<half>(1024, 0);
# CHECK: auto b = ascend_l1.GetWithOffset<half>(8192, 4096);
# CHECK: copy_gm_to_l1<half, 8, 64>(a[i * 1024], A[i * 512], 64, 8, 64, true);
