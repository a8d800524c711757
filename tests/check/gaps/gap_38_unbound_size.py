"""A size that no input has alone."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def of_unbound():
    n = T.symbolic("n")

    @T.prim_func
    def main(A: T.Tensor((n * 2, 64), "float32"), B: T.Tensor((16, 64), "float32")):
    # ~^ error[TL123]: no input has the extent n: A is (n * 2, 64)
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            T.copy(A[n, 0], a)
            T.barrier_all()
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, B[0, 0])

    return main


of_unbound()
