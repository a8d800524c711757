"""With planning on ours keeps tiles clear of the slots of gemm_v0, where there is room."""
#@ upstream: none

import tilelang
import tilelang.language as T


def build(rows, planning):
    @tilelang.jit(pass_configs={"tl.ascend_memory_planning": planning})
    def kernel():
        @T.prim_func
        def main(
            A: T.Tensor((256, 512), "float16"),
            B: T.Tensor((128, 32), "float16"),
            C: T.Tensor((256, 256), "float32"),
        ):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a1 = T.alloc_L1((rows, 128), "float16")
                other = T.alloc_L1((rows, 128), "float16")
                b1 = T.alloc_L1((128, 32), "float16")
                a0 = T.alloc_L0A((rows, 128), "float16")
                b0 = T.alloc_L0B((128, 32), "float16")
                c = T.alloc_L0C((rows, 32), "float32")
                with T.Scope("C"):
                    T.copy(A[0, 0], a1)
                    T.copy(A[0, 128], other)
                    T.copy(B, b1)
                    T.barrier_all()
                    T.copy(other, a0)
                    T.copy(b1, b0)
                    T.barrier_all()
                    T.gemm_v0(a1, b1, c, init=True)  # ~ error[TL502]: takes bytes 0 to 32768 of L0A, and a0 lies at 0 to 32768 # ~ error[TL502]: bytes 0 to 49152 of L0A, and a0 lies at 0 to 49152
                    T.barrier_all()
                    T.mma(a0, b0, c, init=False)
                    T.barrier_all()
                    T.copy(c, C[0, 0])

        return main

    return kernel()


build(128, True)
build(128, False)
build(192, True)
