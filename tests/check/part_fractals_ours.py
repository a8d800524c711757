"""Where tiles fit only without the rest of their fractals, they overlap in our programs, too."""
#@ upstream: none

import tilelang
import tilelang.language as T


@tilelang.jit(pass_configs={"tl.ascend_auto_sync": True})
def product(K):
    @T.prim_func
    def main(A: T.Tensor((16, K), "float16"), C: T.Tensor((8, 8), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((8, K), "float16")
            b = T.alloc_L1((8, K), "float16")
            c = T.alloc_L0C((8, 8), "float32")
            with T.Scope("C"):
                T.copy(A[0, 0], a)
                T.copy(A[8, 0], b)  # ~ warning[TL505]: overwritten with b: a lies at byte 0 and b at byte 192000 of L1, and a, float16[8, 12000], has elements up to byte 383744
                T.gemm_v0(a, b, c, transpose_B=True, init=True)
                T.copy(c, C)

    return main


product(12000)
product(6000)
