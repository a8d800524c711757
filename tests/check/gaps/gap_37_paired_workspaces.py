"""Reads and writes of a workspace that do not pair.

A workspace that the vector cores alone use needs no flags between the cores; what one of its cores or blocks writes and another one reads is a race.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[1],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_memory_planning": True,
        "tl.ascend_auto_cv_combine": True,
        "tl.ascend_auto_cross_core_sync": True,
    },
)
def of_counts(n):
    @T.prim_func
    def main(
        A: T.Tensor((256, n), "float16"),
        B: T.Tensor((256, n), "float32"),
        workspace_1: T.Tensor((4, 64, 64), "float32"),
    ):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            l1 = T.alloc_L1((64, 64), "float16")
            r1 = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            u = T.alloc_ub((32, 64), "float32")

            T.copy(A[cid * 64, 0], l1)
            T.copy(A[0, 0], r1)
            T.gemm_v0(l1, r1, c, transpose_B=True, init=True)
            T.copy(c, workspace_1[cid, :, :])
            T.copy(c, workspace_1[cid, :, :])
            T.copy(workspace_1[cid, vid * 32 : vid * 32 + 32, :], u)
            # ~^ error[TL403]: workspace_1: 1 read on the vector side, 2 writes on the cube side; au
            T.tile.exp(u, u)
            T.copy(u, B[cid * 64 + vid * 32, 0])

    return main


of_counts(256)
