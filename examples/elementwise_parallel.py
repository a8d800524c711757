"""Y = X * sigmoid(X), written element by element.

`T.Parallel` says that the iterations are independent; the compiler makes vector operations of the
body and allocates what they need in between. The pass options do the rest: which core runs what,
where buffers lie, what waits for what. Run on a device with torch_npu.
"""

import numpy as np
import tilelang
import tilelang.language as T

AUTOMATIC = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_COMBINE: True,
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
}


@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def swish(rows, columns, tile_rows, dtype="float32"):
    assert rows % (2 * tile_rows) == 0, "rows must fill both vector cores of every block"

    @T.prim_func
    def elementwise(X: T.Tensor((rows, columns), dtype), Y: T.Tensor((rows, columns), dtype)):
        with T.Kernel(rows // (2 * tile_rows), is_npu=True) as (block, core):
            x = T.alloc_ub((tile_rows, columns), dtype)
            e = T.alloc_ub((tile_rows, columns), dtype)
            y = T.alloc_ub((tile_rows, columns), dtype)
            top = (block * 2 + core) * tile_rows
            T.copy(X[top, 0], x)
            for i, j in T.Parallel(tile_rows, columns):
                e[i, j] = x[i, j] * -1.0
            for i, j in T.Parallel(tile_rows, columns):
                e[i, j] = T.exp(e[i, j])
            for i, j in T.Parallel(tile_rows, columns):
                y[i, j] = x[i, j] / (e[i, j] + 1.0)
            T.copy(y, Y[top, 0])

    return elementwise


def reference(x):
    """What the kernel computes, in numpy."""
    return x / (1 + np.exp(-x))


def main():
    import torch
    import torch_npu  # noqa: F401

    kernel = swish(2048, 512, 16)
    x = torch.randn(2048, 512)
    wanted = torch.from_numpy(reference(x.numpy()))
    torch.testing.assert_close(kernel(x.npu()).cpu(), wanted, rtol=1e-4, atol=1e-4)
    print("elementwise_parallel: the device agrees with numpy")


if __name__ == "__main__":
    main()
