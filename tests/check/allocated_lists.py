"""Buffers of a list go by its name and their number, as upstream's do; those of several names by these."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_memory_planning": True})
def build():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            bufs = [T.alloc_ub((16, 64), "float16") for _ in range(2)]
            more = [T.alloc_ub((16, 64), "float16"), T.alloc_ub((16, 64), "float16")]
            one, other = T.alloc_ub((16, 64), "float16"), T.alloc_ub((16, 64), "float16")
            with T.Scope("V"):
                T.copy(A[0, 0], bufs[0])
                T.barrier_all()
                T.tile.add(bufs[0], bufs[0], bufs[1])  # ~ info[TL321]: bufs_1 is read here
                T.tile.add(bufs[0], bufs[0], more[1])  # ~ info[TL321]: more_1 is read here
                T.tile.add(bufs[0], bufs[0], other)  # ~ info[TL321]: other is read here
                T.tile.add(bufs[0], bufs[0], one)  # ~ info[TL321]: one is read here
                T.tile.add(bufs[0], bufs[0], more[0])  # ~ info[TL321]: more_0 is read here
                T.barrier_all()
                T.copy(bufs[0], B[0, 0])

    return main


build()
