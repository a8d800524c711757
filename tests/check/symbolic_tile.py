"""A tile needs a fixed size; a symbolic dimension is for tensors in GM."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def offsets(n):
    @T.prim_func
    def main(S: T.Tensor((n,), "int32"), O: T.Tensor((n,), "int32")):  # noqa: E741
        with T.Kernel(1, is_npu=True) as (cid, vid):
            s_ub = T.alloc_ub((n,), "int32")  # ~ error[TL203]: s_ub
            T.copy(S, s_ub)
            T.barrier_all()
            T.copy(s_ub, O)

    return main


kernel = offsets(T.symbolic("n"))
