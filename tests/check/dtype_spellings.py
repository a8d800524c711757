"""One element type, many spellings."""

import tilelang
import tilelang.language as T
import torch

accum = T.float32


@T.prim_func
def main(A: T.Tensor((64,), "float"), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float")  # ~ hint a: float32[64] UB 256 B
        b = T.alloc_ub((64,), T.float16)  # ~ hint b: float16[64] UB 128 B
        c = T.alloc_ub((64,), torch.bfloat16)  # ~ hint c: bfloat16[64] UB 128 B
        d = T.alloc_ub((64,), accum)  # ~ hint d: float32[64] UB 256 B
        e = T.alloc_ub((64,), "half")  # ~ hint e: float16[64] UB 128 B
        f = T.alloc_ub([64], tilelang.DataType("int8").dtype)  # ~ hint f: int8[64] UB 64 B
        x = T.float32(1) + T.cast(n, "float32")
        T.tile.fill(a, x)
        T.barrier_all()
        T.copy(a, A)
