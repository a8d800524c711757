"""In a kernel `for` makes a loop of the device: a Python list cannot be one. In a helper it can."""

import tilelang
import tilelang.language as T


def each(buffers):
    return [T.tile.fill(b, 0.0) for b in buffers]


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        b = T.alloc_ub((64, 64), "float32")
        for x in [a, b]:  # ~ error[TL106]: Python list is only iterated outside
            T.tile.fill(x, 0.0)
        for x in (a, b):  # ~ error[TL106]: Python tuple is only iterated outside
            T.tile.fill(x, 0.0)
        T.copy(a, A)
