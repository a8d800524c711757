"""C = A @ B on the cube cores, float16 in, float32 sums, float16 out.

A block computes one tile of C: it walks K, moves a tile of A and one of B to L1 and lets gemm_v0
multiply them into L0C. Synchronisation is left to the compiler. Run on a device with torch_npu.
"""

import argparse

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-1],
    pass_configs={
        tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
        tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
    },
)
def gemm(M, N, K, block_M, block_N, block_K, dtype="float16", sum_dtype="float32"):
    across = T.ceildiv(N, block_N)

    @T.prim_func
    def product(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(M, block_M) * across, is_npu=True) as (block, _):
            top = block // across * block_M
            left = block % across * block_N
            a = T.alloc_L1((block_M, block_K), dtype)
            b = T.alloc_L1((block_K, block_N), dtype)
            total = T.alloc_L0C((block_M, block_N), sum_dtype)
            with T.Scope("C"):
                for step in T.serial(T.ceildiv(K, block_K)):
                    T.copy(A[top, step * block_K], a)
                    T.copy(B[step * block_K, left], b)
                    T.gemm_v0(a, b, total, init=(step == 0))
                T.copy(total, C[top, left])

    return product


def reference(a, b):
    """What the kernel computes, in numpy."""
    return (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--m", type=int, default=1024)
    options.add_argument("--n", type=int, default=1024)
    options.add_argument("--k", type=int, default=1024)
    sizes = options.parse_args()
    kernel = gemm(sizes.m, sizes.n, sizes.k, 128, 256, 64)

    import torch
    import torch_npu  # noqa: F401

    a = torch.randn(sizes.m, sizes.k, dtype=torch.float16)
    b = torch.randn(sizes.k, sizes.n, dtype=torch.float16)
    wanted = torch.from_numpy(reference(a.numpy(), b.numpy()))
    torch.testing.assert_close(kernel(a.npu(), b.npu()).cpu(), wanted, rtol=1e-2, atol=1e-2)
    print("gemm: the device agrees with numpy")


if __name__ == "__main__":
    main()
