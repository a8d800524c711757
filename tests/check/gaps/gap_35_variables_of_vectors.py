"""A variable that vector code sets."""

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
def of_var(n):
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
            v = T.alloc_var("float32", init=0.0)
            T.copy(A[cid * 64, 0], l1)
            T.copy(A[0, 0], r1)
            T.gemm_v0(l1, r1, c, transpose_B=True, init=True)
            T.copy(c, workspace_1[cid, :, :])

            T.copy(workspace_1[cid, vid * 32 : vid * 32 + 32, :], u)
            v = u[0, 0]
            # ~^ warning[TL417]: upstream's compiler keeps this store to v on the cube core alone, a
            T.tile.add(u, u, v)
            T.copy(u, B[cid * 64 + vid * 32, 0])

    return main


of_var(256)
