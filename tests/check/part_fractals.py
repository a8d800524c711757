"""Tiles that are no multiple of a fractal have elements beyond their declared bytes, where upstream's
compiler puts the next one."""

import tilelang
import tilelang.language as T


def products(M, N, K, planned):
    @tilelang.jit(pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": planned})
    def made():
        @T.prim_func
        def main(
            A: T.Tensor((2, M, K), "float16"),
            B: T.Tensor((K, N), "float16"),
            C: T.Tensor((2, M, N), "float32"),
        ):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_L1((M, K), "float16")
                other = T.alloc_L1((M, K), "float16")
                b = T.alloc_L1((K, N), "float16")
                c = T.alloc_L0C((M, N), "float32")
                d = T.alloc_L0C((M, N), "float32")
                with T.Scope("C"):
                    T.copy(A[0, 0, 0], a)
                    T.copy(A[1, 0, 0], other)  # ~ warning[TL505]: upstream's compiler puts a at byte 0 and other at byte 1024 of L1, and a, float16[8, 64], has elements up to byte 1792
                    T.copy(B, b)  # and here: a tile of as many rows
                    T.gemm_v0(a, b, c, init=True)
                    T.gemm_v0(other, b, d, init=True)  # and here
                    T.copy(c, C[0, 0, 0])
                    T.copy(d, C[1, 0, 0])

        return main

    return made()


products(8, 32, 64, False)
products(8, 32, 64, True)
products(16, 32, 64, False)  # whole fractals
products(8, 16, 16, False)  # one fractal each: no element beyond


def versions(M, K):
    @tilelang.jit(pass_configs={"tl.ascend_auto_sync": True})
    def made():
        @T.prim_func
        def main(A: T.Tensor((2, M, K), "float16"), C: T.Tensor((M, M), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_L1((2, M, K), "float16")  # ~ warning[TL505]: the 2 versions of a overlap: upstream's compiler begins one every 1024 bytes, and one of float16[8, 64] has elements up to byte 1792
                one = T.alloc_L1((1, M, K), "float16")
                c = T.alloc_L0C((M, M), "float32")
                with T.Scope("C"):
                    for i in T.serial(2):
                        T.copy(A[i, 0, 0], a[i, :, :])
                    T.copy(A[0, 0, 0], one[0, :, :])
                    for i in T.serial(2):
                        T.gemm_v0(a[i, :, :], one[0, :, :], c, transpose_B=True, init=(i == 0))
                    T.copy(c, C)

        return main

    return made()


versions(8, 64)
versions(16, 64)


@tilelang.jit(pass_configs={"tl.ascend_auto_sync": True})
def one_after_the_other():
    """What is overwritten holds nothing any more."""

    @T.prim_func
    def main(A: T.Tensor((2, 8, 64), "float16"), C: T.Tensor((2, 8, 8), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((8, 64), "float16")
            b = T.alloc_L1((8, 64), "float16")
            c = T.alloc_L0C((8, 8), "float32")
            with T.Scope("C"):
                T.copy(A[0, 0, 0], a)
                T.gemm_v0(a, a, c, transpose_B=True, init=True)
                T.copy(c, C[0, 0, 0])
                T.copy(A[1, 0, 0], b)
                T.gemm_v0(b, b, c, transpose_B=True, init=True)
                T.copy(c, C[1, 0, 0])

    return main


one_after_the_other()
