"""More than is there, planning off."""

import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-1],
    pass_configs={tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: False},
)
def add(n, block):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(n // block, is_npu=True) as (cid, vid):
            a = T.alloc_ub((block,), "float32")
            b = T.alloc_ub((block,), "float32")
            c = T.alloc_ub((block,), "float32")  # ~ error[TL503]: 245760
            T.copy(A[cid * block], a)
            T.copy(B[cid * block], b)
            T.barrier_all()
            T.tile.add(c, a, b)
            T.barrier_all()
            T.copy(c, C[cid * block])

    return main


add(20480 * 4, 20480)
