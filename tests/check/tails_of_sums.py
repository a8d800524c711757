"""A loop over K that is rounded down leaves products out, unless something reads the rest."""

import tilelang
import tilelang.language as T

AUTO = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-1], pass_configs=AUTO)
def rounded_down(K, step):
    @T.prim_func
    def main(A: T.Tensor((64, K), "float16"), B: T.Tensor((K, 64), "float16"), C: T.Tensor((64, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, step), "float16")
            b = T.alloc_L1((step, 64), "float16")
            c = T.alloc_L0C((64, 64), "float")
            with T.Scope("C"):
                # ~v warning[TL803]: 1000 // 64 is 15, which covers 960: the products leave out the last 40 of 1000
                for k in T.serial(K // step):
                    T.copy(A[0, k * step], a)
                    T.copy(B[k * step, 0], b)
                    T.gemm_v0(a, b, c, init=(k == 0))
                T.copy(c, C)

    return main


rounded_down(1000, 64)
rounded_down(2000, 128)
rounded_down(1024, 64)


@tilelang.jit(out_idx=[-1], pass_configs=AUTO)
def rest_apart(K, step):
    @T.prim_func
    def main(A: T.Tensor((64, K), "float16"), B: T.Tensor((K, 64), "float16"), C: T.Tensor((64, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, step), "float16")
            b = T.alloc_L1((step, 64), "float16")
            last_a = T.alloc_L1((64, K % step), "float16")
            last_b = T.alloc_L1((K % step, 64), "float16")
            c = T.alloc_L0C((64, 64), "float")
            with T.Scope("C"):
                for k in T.serial(K // step):
                    T.copy(A[0, k * step], a)
                    T.copy(B[k * step, 0], b)
                    T.gemm_v0(a, b, c, init=(k == 0))
                T.copy(A[0, K // step * step], last_a)
                T.copy(B[K // step * step, 0], last_b)
                T.gemm_v0(last_a, last_b, c)
                T.copy(c, C)

    return main


rest_apart(1008, 64)
