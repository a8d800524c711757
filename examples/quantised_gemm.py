"""C = (A @ B) * row scale * column scale: int8 in, int32 sums, float16 out.

A: (M, K) int8, a row for each token, with Row_scale (M,) float32. B: (N, K) int8, a row for each
channel, with Column_scale (1, N) float32. C: (M, N) float16.

Each core takes one tile of C after the other. The cube cores have no use for scales, the vector cores
none for int8 sums: a tile of sums goes from one to the other. `T.copy` from L0C to the UB says just so;
the compiler sends the tile through a workspace in GM, splits the code, and says who waits for whom. Each
vector core takes half of the rows. Run on a device with torch_npu.
"""

import numpy as np
import tilelang
import tilelang.language as T

AUTOMATIC = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_COMBINE: True,
    tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
}


# tl: instance M=150, N=96, K=160, block_M=64, block_N=64, block_K=64, cores=6
# tl: instance M=150, N=96, K=160, block_M=64, block_N=64, block_K=64, cores=2
@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def quantised_gemm(M, N, K, block_M=128, block_N=128, block_K=256, cores=24):
    down, across = T.ceildiv(M, block_M), T.ceildiv(N, block_N)
    half = block_M // 2

    @T.prim_func
    def product(
        A: T.Tensor((M, K), "int8"),
        B: T.Tensor((N, K), "int8"),
        Row_scale: T.Tensor((M,), "float32"),
        Column_scale: T.Tensor((1, N), "float32"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(cores, is_npu=True) as (block, core):
            a = T.alloc_L1((block_M, block_K), "int8")
            b = T.alloc_L1((block_N, block_K), "int8")
            total = T.alloc_L0C((block_M, block_N), "int32")
            sums = T.alloc_ub((half, block_N), "int32")
            real = T.alloc_ub((half, block_N), "float32")
            wide = T.alloc_ub((half, block_N), "float32")
            rows = T.alloc_ub((half,), "float32")
            each_row = T.reshape(rows, (half, 1))
            columns = T.alloc_ub((1, block_N), "float32")
            out = T.alloc_ub((half, block_N), "float16")

            for i, j in T.Persistent([down, across], cores, block):
                top, left = i * block_M, j * block_N
                mine = top + core * half
                for step in T.serial(T.ceildiv(K, block_K)):
                    T.copy(A[top, step * block_K], a)
                    T.copy(B[left, step * block_K], b)
                    T.gemm_v0(a, b, total, transpose_B=True, init=(step == 0))
                T.copy(total[core * half : core * half + half, :], sums)
                T.copy(Row_scale[mine], rows)
                T.copy(Column_scale[0, left], columns)
                T.tile.cast(real, sums, "CAST_RINT", half * block_N)
                T.tile.broadcast(wide, each_row)
                T.tile.mul(real, real, wide)
                T.tile.broadcast(wide, columns)
                T.tile.mul(real, real, wide)
                T.tile.cast(out, real, "CAST_RINT", half * block_N)
                T.copy(out, C[mine, left])

    return product


def reference(a, b, row_scale, column_scale):
    """What the kernel computes, in numpy."""
    sums = a.astype(np.int32) @ b.astype(np.int32).T
    return (sums * row_scale[:, None] * column_scale).astype(np.float16)


def main():
    import torch
    import torch_npu  # noqa: F401

    M, N, K = 2048, 4096, 7168
    kernel = quantised_gemm(M, N, K)
    a = torch.randint(-127, 128, (M, K), dtype=torch.int8)
    b = torch.randint(-127, 128, (N, K), dtype=torch.int8)
    given = (a, b, torch.rand(M) / 1000, torch.rand(1, N) / 1000)
    wanted = torch.from_numpy(reference(*(t.numpy() for t in given)))
    torch.testing.assert_close(
        kernel(*(t.npu() for t in given)).cpu(), wanted, rtol=1e-2, atol=1e-2
    )
    print("quantised_gemm: the device agrees with numpy")


if __name__ == "__main__":
    main()
