"""A matrix product, C = A · B, for blocks of 128 × 128 results."""

import tilelang
import tilelang.language as T

PASSES = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-1], pass_configs=PASSES)
def product(M, N, K, block_M=128, block_N=128, block_K=64, dtype="float16"):
    rows, columns = T.ceildiv(M, block_M), T.ceildiv(N, block_N)

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(rows * columns, is_npu=True) as (block, _):
            top = block // columns * block_M  # 😀 first row
            left = block % columns * block_N  # größer als 0
            A_L1 = T.alloc_L1((block_M, block_K), dtype)
            B_L1 = T.alloc_L1((block_K, block_N), dtype)
            total = T.alloc_L0C((block_M, block_N), "float32")
            with T.Scope("C"):
                for step in T.serial(K // block_K):
                    T.copy(A[top, step * block_K], A_L1)
                    T.copy(B[step * block_K, left], B_L1)
                    T.gemm_v0(A_L1, B_L1, total, init=(step == 0))
                T.copy(total, C[top, left])

    return main


if __name__ == "__main__":
    kernel = product(1024, 1024, 512)
    print("größe", kernel, "日本語", f"{kernel}")
