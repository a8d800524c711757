"""What a name means is decided by its value, not by its spelling."""

import tilelang.language as T
import tilelang.language as tl
import torch


def factory(T):
    copy = "not the operation"
    rows = T * 2

    @tl.prim_func
    def main(A: tl.Tensor((rows, 64), "float32")):
        with tl.Kernel(1, is_npu=True) as (cid, vid):
            a = tl.alloc_ub((T, 64), "float32")  # ~ hint a: float32[32,64] UB 8 KiB
            tl.tile.fill(a, 0.0)
            tl.barrier_all()
            tl.copy(a, A[0, 0])

    return main


factory(32)


class Stream:
    def copy(self, a, b, c):
        return a.copy(b, c, nonsense=1)


Stream().copy(torch, 1, 2)
torch.copy(1, 2, 3, 4)
