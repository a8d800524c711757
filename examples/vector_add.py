"""C = A + B on the vector cores, synchronised by hand.

Each block of the launch runs on one AI core, whose two vector cores take half of its rows each. A
vector core moves its tiles in (pipe MTE2), adds (V) and moves the sum out (MTE3). Pipes run in
parallel: a flag tells the later pipe that the earlier one is done. Run on a device with torch_npu.
"""

import tilelang
import tilelang.language as T

# Id 0 of these pairs is taken by the copy from GM where it pads a tile at the edge.
READY = 1


@tilelang.jit(out_idx=[-1])
def vector_add(rows, columns, tile_rows, dtype="float32"):
    assert rows % (2 * tile_rows) == 0, "rows must fill both vector cores of every block"

    @T.prim_func
    def add(
        A: T.Tensor((rows, columns), dtype),
        B: T.Tensor((rows, columns), dtype),
        C: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(rows // (2 * tile_rows), is_npu=True) as (block, core):
            a = T.alloc_ub((tile_rows, columns), dtype)
            b = T.alloc_ub((tile_rows, columns), dtype)
            c = T.alloc_ub((tile_rows, columns), dtype)
            top = (block * 2 + core) * tile_rows
            with T.Scope("V"):
                T.copy(A[top, 0], a)
                T.copy(B[top, 0], b)
                T.set_flag("mte2", "v", READY)
                T.wait_flag("mte2", "v", READY)
                T.tile.add(c, a, b)
                T.set_flag("v", "mte3", READY)
                T.wait_flag("v", "mte3", READY)
                T.copy(c, C[top, 0])

    return add


def reference(a, b):
    """What the kernel computes, in numpy."""
    return a + b


def main():
    import torch
    import torch_npu  # noqa: F401

    kernel = vector_add(1024, 1024, 8)
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    wanted = torch.from_numpy(reference(a.numpy(), b.numpy()))
    torch.testing.assert_close(kernel(a.npu(), b.npu()).cpu(), wanted)
    print("vector_add: the device agrees with numpy")


if __name__ == "__main__":
    main()
