"""gemm_v0 walks K in steps of 128: the last of several must be whole blocks of 32 bytes."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def product(K, dtype, accum):
    @T.prim_func
    def main(A: T.Tensor((32, K), dtype), B: T.Tensor((K, 32), dtype), C: T.Tensor((32, 32), accum)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((32, K), dtype)
            b = T.alloc_L1((K, 32), dtype)
            c = T.alloc_L0C((32, 32), accum)
            with T.Scope("C"):
                T.copy(A, a)
                T.copy(B, b)  # ~ warning[TL505]
                T.barrier_all()
                T.gemm_v0(a, b, c, init=True)  # ~ error[TL312]: the last one has 72 elements
                T.barrier_all()
                T.copy(c, C)

    return main


product(200, "float16", "float32")
product(72, "float16", "float32")
product(144, "float16", "float32")
product(256, "float16", "float32")


@T.prim_func
def bytes_of_k(A: T.Tensor((32, 144), "int8"), B: T.Tensor((144, 32), "int8"), C: T.Tensor((32, 32), "int32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((32, 144), "int8")
        b = T.alloc_L1((144, 32), "int8")
        c = T.alloc_L0C((32, 32), "int32")
        with T.Scope("C"):
            T.copy(A, a)
            T.copy(B, b)  # ~ warning[TL505]
            T.barrier_all()
            T.gemm_v0(a, b, c, init=True)  # ~ error[TL312]: the last one has 16 elements, no multiple of 32
            T.barrier_all()
            T.copy(c, C)
