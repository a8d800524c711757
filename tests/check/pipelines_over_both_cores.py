"""Upstream's pipeline over both cores takes one loop in a kernel."""

import tilelang
import tilelang.language as T

ALL = {
    "tl.ascend_auto_sync": True,
    "tl.ascend_memory_planning": True,
    "tl.ascend_auto_cv_combine": True,
    "tl.ascend_auto_cross_core_sync": True,
}


@tilelang.jit(out_idx=[2], workspace_idx=[3, 4], pass_configs=ALL)
def build(stages):
    @T.prim_func
    def main(
        A: T.Tensor((64, 256), "float16"),
        W: T.Tensor((256, 64), "float16"),
        B: T.Tensor((64, 512), "float32"),
        workspace_1: T.Tensor((64, 64), "float32"),
        workspace_2: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            b = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            u = T.alloc_ub((32, 64), "float32")
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[0, k * 64], a)
                T.copy(W[k * 64, 0], b)
                T.gemm_v0(a, b, c, init=True)
                T.copy(c, workspace_1)
                T.copy(workspace_1[vid * 32, 0], u)
                T.tile.exp(u, u)
                T.copy(u, B[vid * 32, k * 64])
            for k in T.Pipelined(4, num_stages=stages):  # ~ warning[TL808]: a second loop that both cores run in stages
                T.copy(A[0, k * 64], a)
                T.copy(W[k * 64, 0], b)
                T.gemm_v0(a, b, c, init=True)
                T.copy(c, workspace_2)
                T.copy(workspace_2[vid * 32, 0], u)
                T.tile.exp(u, u)
                T.copy(u, B[vid * 32, 256 + k * 64])

    return main


build(2)
build(1)
