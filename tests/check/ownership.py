"""Scopes keep to the memory of their core; each buffer is told once; ways through GM are no fault."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        tile = T.alloc_ub((64, 64), "float16")
        left = T.alloc_L1((64, 64), "float16")
        out = T.alloc_L0C((64, 64), "float")
        with T.Scope("C"):
            T.copy(A, tile)  # ~ error[TL307]: belongs to the vector cores: code in Scope("C") cannot reach it
            T.tile.add(tile, tile, 1.0)
            T.copy(A, left)
            T.barrier_all()
            T.gemm_v0(left, left, out, init=True)
        with T.Scope("V"):
            T.copy(A, tile)
            T.barrier_all()
            T.copy(tile, B)
            T.copy(B, left)  # ~ error[TL307]: belongs to the cube core: code in Scope("V") cannot reach it
