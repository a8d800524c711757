"""Memory, shape and element type of matrix operands."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((512, 512), "float16"), C: T.Tensor((512, 512), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 32), "float16")
        b = T.alloc_L1((32, 128), "float16")
        bt = T.alloc_L1((128, 32), "float16")
        b8 = T.alloc_L1((32, 128), "int8")
        u = T.alloc_ub((64, 32), "float16")
        left = T.alloc_L0A((64, 32), "float16")
        c = T.alloc_L0C((64, 128), "float32")
        h = T.alloc_L0C((64, 128), "float16")
        small = T.alloc_L0C((64, 64), "float32")
        T.gemm_v0(a, b, c, init=True)
        # ~^ warning[TL321]: a is read here before anything has written it
        T.gemm_v0(a, bt, c, transpose_B=True, init=True)
        T.gemm_v0(a, bt, c, init=True)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TL301]: K is 32 in a
        T.gemm_v0(u, b, c, init=True)
#                 ^ error[TL301]: u lies in UB; operand A of T.gemm_v0 must lie in L1
        T.gemm_v0(left, b, c, init=True)  # ~ error[TL301]: left lies in L0A
        T.gemm_v0(a, b, a, init=True)  # ~ error[TL301]: must lie in L0C
        T.gemm_v0(a, b8, c, init=True)  # ~ error[TL301]: int8
        T.gemm_v0(a, b, h, init=True)  # ~ error[TL301]: float16
        T.gemm_v0(a, b, small, init=True)  # ~ error[TL301]: (64, 64)


def of_type(dtype, sums):
    @T.prim_func
    def main(A: T.Tensor((64, 64), dtype), C: T.Tensor((64, 64), sums)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), dtype)
            c = T.alloc_L0C((64, 64), sums)
            with T.Scope("C"):
                T.copy(A, a)
                T.barrier_all()
                T.gemm_v0(a, a, c, init=True)  # ~ error[TL303]: of int32 operands: the matrix unit is fed with bfloat16, float16, float32 or int8
                T.barrier_all()
                T.copy(c, C)

    return main


of_type("int32", "int32")
of_type("int8", "int32")


@T.prim_func
def in_each_others_place(A: T.Tensor((128, 64), "float16"), C: T.Tensor((128, 128), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((128, 64), "float16")
        b = T.alloc_L1((64, 128), "float16")
        c = T.alloc_L0C((128, 128), "float32")
        with T.Scope("C"):
            T.copy(A, a)
            T.copy(A[0:64, 0:64], b[:, 0:64])
            T.barrier_all()
            T.gemm_v0(b, a, c, init=True)  # ~ error[TL301]: M is 64 in b (64, 128) but 128 in c
            T.barrier_all()
            T.copy(c, C)
