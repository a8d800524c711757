"""pytest.mark.parametrize gives instances."""
#@ instance: M=128, block=64, dtype="float16"
#@ instance: M=256, block=64, dtype="float16"

import tilelang
import tilelang.language as T

import pytest
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(M, block, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M,), dtype), B: T.Tensor((M,), dtype)):
        with T.Kernel(M // block, is_npu=True) as (cid, vid):
            a_ub = T.alloc_ub((block,), dtype)
            with T.Scope("V"):
                T.copy(A[cid * block], a_ub)
                T.barrier_all()
                T.tile.mul(a_ub, a_ub, 2.0)
                T.barrier_all()
                T.copy(a_ub, B[cid * block])

    return main


@pytest.mark.parametrize("M", [128, 256])
@pytest.mark.parametrize("block", [64])
def test_scale(M, block):
    scale(M, block)
