"""Tuples, lists and dictionaries nest and unpack as in Python."""

import tilelang
import tilelang.language as T

CONFIG = {"tiles": [(16, 64), (32, [8, 4])], "name": ("x", ("y",))}
(rows, columns), (_, (a, b)) = CONFIG["tiles"]
first, *middle, last = range(5)


@T.prim_func
def main(A: T.Tensor((rows, columns), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((rows, columns), "float32")  # ~ hint x: float32[16,64] UB 4 KiB
        y = T.alloc_ub((a * b, sum(middle) + last), "float32")  # ~ hint y: float32[32,10] UB 1,280 B
        T.tile.fill(x, 0.0)
        T.tile.fill(y, 0.0)
        T.barrier_all()
        T.copy(x, A)
