"""A condition that is known prunes; one that only the device knows keeps both sides."""

import tilelang
import tilelang.language as T


def factory(n, double):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), "float32")
            if double:
                b = T.alloc_ub((64, 64), "float32")
                T.tile.fill(b, 1.0)
            else:
                b = undefined_and_not_run
            if n > 64:
                T.copy(A[0, 0, 0], a)
            if cid < 4:  # always
                T.tile.fill(a, 0.0)
            if cid == 4:  # never
                T.copy(A[0, 0, 0], a)
            if cid == 2:
                T.tile.add(a, a, b)
            if vid == 0 and double:
                T.tile.add(a, a, b)
            T.barrier_all()
            T.copy(a, A)

    return main


factory(64, True)
