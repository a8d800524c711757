"""C = A @ B with two tiles of A and B in flight, synchronised by hand.

While the matrix unit works on one slot of L1, the next tiles arrive in the other. Two kinds of flag
keep the pipes apart, one id for each slot: MTE2 -> MTE1 "the slot is full", MTE1 -> MTE2 "the slot
is free". A slot is free before it was ever used: that flag must be set before the loop (primed)
and, so that none is left for the next launch, waited for after it (drained).
Run on a device with torch_npu.
"""

import numpy as np
import tilelang
import tilelang.language as T

SLOTS = 2
# gemm_v0 uses ids 0 and 1 of several pairs itself.
FIRST = 2
SUM_READY = 2


@tilelang.jit(out_idx=[-1])
def gemm_pingpong(M, N, K, block_M, block_N, block_K, dtype="float16", sum_dtype="float32"):
    assert M % block_M == 0 and N % block_N == 0 and K % block_K == 0, "whole tiles only"
    across = N // block_N

    @T.prim_func
    def product(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(M // block_M * across, is_npu=True) as (block, _):
            top = block // across * block_M
            left = block % across * block_N
            a = T.alloc_L1((SLOTS, block_M, block_K), dtype)
            b = T.alloc_L1((SLOTS, block_K, block_N), dtype)
            total = T.alloc_L0C((block_M, block_N), sum_dtype)
            with T.Scope("C"):
                T.set_flag("mte1", "mte2", FIRST)
                T.set_flag("mte1", "mte2", FIRST + 1)
                for step in T.serial(K // block_K):
                    slot = step % SLOTS
                    T.wait_flag("mte1", "mte2", FIRST + slot)
                    T.copy(A[top, step * block_K], a[slot, :, :])
                    T.copy(B[step * block_K, left], b[slot, :, :])
                    T.set_flag("mte2", "mte1", FIRST + slot)
                    T.wait_flag("mte2", "mte1", FIRST + slot)
                    T.gemm_v0(a[slot, :, :], b[slot, :, :], total, init=(step == 0))
                    T.set_flag("mte1", "mte2", FIRST + slot)
                T.wait_flag("mte1", "mte2", FIRST)
                T.wait_flag("mte1", "mte2", FIRST + 1)
                T.set_flag("m", "fix", SUM_READY)
                T.wait_flag("m", "fix", SUM_READY)
                T.copy(total, C[top, left])

    return product


def reference(a, b):
    """What the kernel computes, in numpy."""
    return (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)


def main():
    import torch
    import torch_npu  # noqa: F401

    kernel = gemm_pingpong(1024, 1024, 1024, 128, 128, 64)
    a = torch.randn(1024, 1024, dtype=torch.float16)
    b = torch.randn(1024, 1024, dtype=torch.float16)
    wanted = torch.from_numpy(reference(a.numpy(), b.numpy()))
    torch.testing.assert_close(kernel(a.npu(), b.npu()).cpu(), wanted, rtol=1e-2, atol=1e-2)
    print("gemm_manual_flags: the device agrees with numpy")


if __name__ == "__main__":
    main()
