"""Steps of a sequence on route pto."""

import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[1],
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True},
    target="pto",
)
def of_progression(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "int32"), B: T.Tensor((n,), "int32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), "int32")
            T.tile.arith_progression(a, 0, 4, 64)
            # ~^ warning[TL313]: a step of 4: upstream's route pto takes its sign alone, and counts
            T.copy(a, B[0])

    return main


of_progression(256)
