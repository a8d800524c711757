"""Loops in stages over both cores: what is left over, symbols, and a second one."""

import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[1],
    workspace_idx=[2],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_memory_planning": True,
        "tl.ascend_auto_cv_combine": True,
        "tl.ascend_auto_cross_core_sync": True,
    },
)
def of_odd(n):
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
            for k in T.Pipelined(5, num_stages=2):
            # ~^ warning[TL808]: 5 iterations in groups of 2: upstream's compiler leaves out the las
                T.copy(A[cid * 64, k * 64], l1)
                T.copy(A[0, k * 64], r1)
                T.gemm_v0(l1, r1, c, transpose_B=True, init=True)
                T.copy(c, workspace_1[cid, :, :])
                T.copy(workspace_1[cid, vid * 32 : vid * 32 + 32, :], u)
                T.tile.exp(u, u)
                T.copy(u, B[cid * 64 + vid * 32, k * 64])

    return main


of_odd(320)


@tilelang.jit(
    out_idx=[1],
    workspace_idx=[2],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_memory_planning": True,
        "tl.ascend_auto_cv_combine": True,
        "tl.ascend_auto_cross_core_sync": True,
    },
)
def of_sym(n):
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
            m = T.ceildiv(n, 64)
            for k in T.Pipelined(m, num_stages=2):
            # ~^ warning[TL808]: the number of iterations is a symbol: upstream's compiler multiplie
                T.copy(A[cid * 64, k * 64], l1)
                T.copy(A[0, k * 64], r1)
                T.gemm_v0(l1, r1, c, transpose_B=True, init=True)
                T.copy(c, workspace_1[cid, :, :])
                T.copy(workspace_1[cid, vid * 32 : vid * 32 + 32, :], u)
                T.tile.exp(u, u)
                T.copy(u, B[cid * 64 + vid * 32, k * 64])

    return main


of_sym(T.symbolic("n"))


@tilelang.jit(
    out_idx=[1],
    workspace_idx=[2],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_memory_planning": True,
        "tl.ascend_auto_cv_combine": True,
        "tl.ascend_auto_cross_core_sync": True,
    },
)
def of_two(n):
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
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[cid * 64, k * 64], l1)
                T.copy(A[0, k * 64], r1)
                T.gemm_v0(l1, r1, c, transpose_B=True, init=True)
                T.copy(c, workspace_1[cid, :, :])
                T.copy(workspace_1[cid, vid * 32 : vid * 32 + 32, :], u)
                T.tile.exp(u, u)
                T.copy(u, B[cid * 64 + vid * 32, k * 64])
            for k in T.Pipelined(4, num_stages=2):
            # ~^ warning[TL808]: a second loop that both cores run in stages: upstream's compiler ta
                T.copy(A[cid * 64, k * 64], l1)
                T.copy(A[0, k * 64], r1)
                T.gemm_v0(l1, r1, c, transpose_B=True, init=True)
                T.copy(c, workspace_1[cid, :, :])
                T.copy(workspace_1[cid, vid * 32 : vid * 32 + 32, :], u)
                T.tile.exp(u, u)
                T.copy(u, B[cid * 64 + vid * 32, k * 64])

    return main


of_two(256)
