"""gemm_v0 overwrites tiles of L0A and L0B where its slots lie, if they are read behind it."""

import tilelang
import tilelang.language as T


def build(rows, k, address, planning=False):
    @tilelang.jit(pass_configs={"tl.ascend_memory_planning": planning})
    def kernel():
        @T.prim_func
        def main(
            A: T.Tensor((256, 256), "float16"),
            B: T.Tensor((256, 256), "float16"),
            C: T.Tensor((256, 256), "float32"),
        ):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a1 = T.alloc_L1((rows, k), "float16")
                other = T.alloc_L1((rows, k), "float16")
                b1 = T.alloc_L1((k, 32), "float16")
                a0 = T.alloc_L0A((rows, k), "float16")
                b0 = T.alloc_L0B((k, 32), "float16")
                c = T.alloc_L0C((rows, 32), "float32")
                if address is not None:
                    T.annotate_address({a0: address, b0: 32768})
                with T.Scope("C"):
                    T.copy(A[0, 0], a1)
                    T.copy(A[0, 64], other)
                    T.copy(B[0, 0], b1)
                    T.barrier_all()
                    T.copy(other, a0)
                    T.copy(b1, b0)
                    T.barrier_all()
                    T.gemm_v0(a1, b1, c, init=True)  # ~ error[TL502]: overwrites a0, which is read behind it: its template takes bytes 0 to 16384 of L0A, and a0 lies at 0 to 16384 # ~ error[TL502]: bytes 0 to 16384 of L0A, and a0 lies at 15872 # ~ error[TL502]: upstream's compiler puts a0 at 0 to 16384 # ~ error[TL502]: upstream's compiler puts a0 at 0 to 32768 # ~ error[TL502]: upstream's compiler puts a0 at 0 to 8192
                    T.barrier_all()
                    T.mma(a0, b0, c, init=False)
                    T.barrier_all()
                    T.copy(c, C[0, 0])

        return main

    return kernel()


build(64, 128, 0)
build(64, 128, 15872)
build(64, 128, 16384)
build(64, 64, None, True)
build(128, 128, None, True)
build(64, 128, None, True)


def looped(again, perhaps):
    @T.prim_func
    def main(A: T.Tensor((256, 256), "float16"), C: T.Tensor((256, 256), "float32"), n: T.int32):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a1 = T.alloc_L1((128, 128), "float16")
            b1 = T.alloc_L1((128, 128), "float16")
            a2 = T.alloc_L1((128, 128), "float16")
            b0 = T.alloc_L0B((128, 128), "float16")
            a0 = T.alloc_L0A((128, 128), "float16")
            c = T.alloc_L0C((128, 128), "float32")
            with T.Scope("C"):
                T.copy(A[0, 0], a1)
                T.copy(A[0, 128], a2)
                T.copy(A[0, 0], b1)
                T.barrier_all()
                T.copy(a2, a0)
                T.copy(b1, b0)
                T.barrier_all()
                for i in T.serial(2):
                    T.mma(a0, b0, c, init=(i == 0))
                    T.barrier_all()
                    if n > i:
                        if perhaps:
                            T.gemm_v0(a1, b1, c)
                    if not perhaps:
                        T.gemm_v0(a1, b1, c)  # ~ error[TL502]: overwrites a0
                    T.barrier_all()
                    if again:
                        T.copy(a2, a0)
                        T.barrier_all()
                T.copy(c, C[0, 0])

    return main


looped(True, False)
looped(False, True)
looped(False, False)
