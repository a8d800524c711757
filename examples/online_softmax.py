"""Softmax over rows that are too long for the UB.

A row is walked in tiles. The first walk keeps the largest value so far and the sum of exponentials
relative to it; where a tile holds a larger value, the old sum is scaled down. The second walk writes
exp(x - largest) / sum. Run on a device with torch_npu.
"""

import numpy as np
import tilelang
import tilelang.language as T

AUTOMATIC = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
}
LOWEST = -(2.0**30)


@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def online_softmax(rows, columns, tile_rows, tile_columns, dtype="float32"):
    assert rows % (2 * tile_rows) == 0, "rows must fill both vector cores of every block"
    assert columns % tile_columns == 0, "a maximum must not see the padding of a short tile"

    @T.prim_func
    def softmax(X: T.Tensor((rows, columns), dtype), Y: T.Tensor((rows, columns), dtype)):
        with T.Kernel(rows // (2 * tile_rows), is_npu=True) as (block, core):
            x = T.alloc_ub((tile_rows, tile_columns), dtype)
            wide = T.alloc_ub((tile_rows, tile_columns), dtype)
            largest = T.alloc_ub((tile_rows, 1), dtype)
            larger = T.alloc_ub((tile_rows, 1), dtype)
            shrink = T.alloc_ub((tile_rows, 1), dtype)
            total = T.alloc_ub((tile_rows, 1), dtype)
            part = T.alloc_ub((tile_rows, 1), dtype)
            top = (block * 2 + core) * tile_rows
            with T.Scope("V"):
                T.tile.fill(largest, LOWEST)
                T.tile.fill(total, 0.0)
                for t in T.serial(columns // tile_columns):
                    T.copy(X[top, t * tile_columns], x)
                    T.reduce_max(x, part, dim=-1)
                    T.tile.max(larger, largest, part)
                    T.tile.sub(shrink, largest, larger)
                    T.tile.exp(shrink, shrink)
                    T.tile.broadcast(wide, larger)
                    T.tile.sub(x, x, wide)
                    T.tile.exp(x, x)
                    T.reduce_sum(x, part, dim=-1)
                    T.tile.mul(total, total, shrink)
                    T.tile.add(total, total, part)
                    T.copy(larger, largest)
                for t in T.serial(columns // tile_columns):
                    T.copy(X[top, t * tile_columns], x)
                    T.tile.broadcast(wide, largest)
                    T.tile.sub(x, x, wide)
                    T.tile.exp(x, x)
                    T.tile.broadcast(wide, total)
                    T.tile.div(x, x, wide)
                    T.copy(x, Y[top, t * tile_columns])

    return softmax


def reference(x):
    """What the kernel computes, in numpy."""
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def main():
    import torch
    import torch_npu  # noqa: F401

    kernel = online_softmax(512, 8192, 8, 1024)
    x = torch.randn(512, 8192)
    wanted = torch.from_numpy(reference(x.numpy()))
    torch.testing.assert_close(kernel(x.npu()).cpu(), wanted, rtol=1e-4, atol=1e-6)
    print("online_softmax: the device agrees with numpy")


if __name__ == "__main__":
    main()
