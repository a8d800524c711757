"""Settings that cannot be understood are told; the defaults hold."""  # ~ warning[TL111]: platform is one of

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.tile.fill(a, 0.0)
        T.barrier_all()
        T.copy(a, A[0])
