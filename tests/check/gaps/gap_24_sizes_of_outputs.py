"""Outputs whose size no input has, and tensors of another type."""

import torch
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def of_call(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            T.copy(A[0, 0], a)
            T.tile.exp(a, a)
            T.copy(a, B[0, 0])

    return main


kernel = of_call(16)
kernel(torch.randn(16, 64, dtype=torch.float16))
# ~^ error[TL121]: A holds float32, and the tensor float16


@tilelang.jit(out_idx=[1])
def of_out_shape():
    m = T.symbolic("m")
    n = T.symbolic("n")

    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32"), B: T.Tensor((m, 64), "float32")):
    # ~^ error[TL123]: no input has the extent m: B is (m, 64)
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            T.copy(A[0, 0], a)
            T.barrier_all()
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, B[0, 0])

    return main


of_out_shape()
