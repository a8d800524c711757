"""An operation that upstream has on one route only, and whose order its automatic flags do not know."""

import tilelang
import tilelang.language as T

AUTO = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[1], target="ascendc", pass_configs=AUTO)
def on_ascendc():
    @T.prim_func
    def main(A: T.Tensor((32, 128), "float32"), B: T.Tensor((32, 128), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            x = T.alloc_ub((16, 128), "float32")
            s = T.alloc_ub((16, 1), "float32")
            T.copy(A[vid * 16, 0], x)
            T.reduce_sum(x, s, dim=-1)
            T.tile.row_expand_mul(x, x, s)  # ~ warning[TL319]: upstream's compiler has no code for it on route ascendc
            T.copy(x, B[vid * 16, 0])

    return main


@tilelang.jit(out_idx=[1], target="pto", pass_configs=AUTO)
def on_pto(ordered):
    @T.prim_func
    def main(A: T.Tensor((32, 128), "float32"), B: T.Tensor((32, 128), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            x = T.alloc_ub((16, 128), "float32")
            s = T.alloc_ub((16, 1), "float32")
            T.copy(A[vid * 16, 0], x)
            T.reduce_sum(x, s, dim=-1)
            if ordered:
                T.barrier_all()
                T.tile.row_expand_mul(x, x, s)
                T.barrier_all()
            else:
                T.tile.row_expand_mul(x, x, s)  # ~ warning[TL416]: nothing makes it wait for what it reads
            T.copy(x, B[vid * 16, 0])

    return main


on_ascendc()
on_pto(False)
on_pto(True)
