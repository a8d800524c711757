"""A workspace by another name."""

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
def of_name(n):
    @T.prim_func
    def main(
        A: T.Tensor((256, n), "float16"),
        B: T.Tensor((256, n), "float32"),
        ws: T.Tensor((4, 64, 64), "float32"),
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
                T.copy(c, ws[cid, :, :])
                T.copy(ws[cid, vid * 32 : vid * 32 + 32, :], u)
                # ~^ warning[TL403]: ws leads from the cube to the vector core, and upstream's autom
                T.tile.exp(u, u)
                T.copy(u, B[cid * 64 + vid * 32, k * 64])

    return main


of_name(256)
