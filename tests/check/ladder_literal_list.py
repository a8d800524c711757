"""A loop over a list of literals gives an instance for each element."""
#@ instance: M=128, block=64, dtype="float16"
#@ instance: M=256, block=64, dtype="float16"
#@ instance: M=512, block=128, dtype="float32"

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


SHAPES = [(128, 64), (256, 64)]

for M, block in SHAPES:
    scale(M, block)
for config in [{"M": 512, "block": 128, "dtype": "float32"}]:
    scale(**config)
