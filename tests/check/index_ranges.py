"""Elements outside of their buffers; a guard, a choice or an unknown bound makes it no error."""

import tilelang.language as T


@T.prim_func
def main(
    A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), n: T.int32, W: T.Tensor((2, 64), "float32")
):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "float32")
        w = T.alloc_ub((2, 64), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.copy(W, w)
            T.barrier_all()
            b[0] = a[64]  # ~ error[TL308]: a[64] reaches 64 in dimension 0 of a, (64,): the indices there are 0 to 63
            b[-1] = a[0]  # ~ error[TL308]: b[-1] reaches -1
            b[0] = w[0, 64]  # ~ warning[TL308]: reaches 64 in dimension 1 of w, (2, 64)
            b[0] = w[1, 64]  # ~ error[TL308]: reaches 64 in dimension 1
            for i in T.serial(65):
                b[i] = a[63 - i]  # ~ error[TL308]: b[i] reaches 64 # ~ error[TL308]: a[63 - i] reaches -1
                if i < n:
                    b[i] = a[i]
                b[0] = T.if_then_else(i < 64, a[i], 0.0)
            for i in T.serial(60, 64):
                for j in T.serial(n, 4):
                    b[i] = a[i + j]
                for j in T.serial(cid, 4):
                    b[i] = a[i + j]  # ~ error[TL308]: a[i + j] reaches 66
            for i in T.serial(n):
                b[i + 64] = 0.0
            for i in T.serial(100):
                if i >= 64:
                    break
                b[i] = a[i]
            b[0] = a[cid * 32 + 32]  # ~ error[TL308]: a[cid * 32 + 32] reaches 64
            b[0] = a[n]
            b[0] = A[64]  # ~ error[TL308]: A[64] reaches 64
            for i in T.Parallel(64):
                b[i] = A[i + 32]
            for i in T.Parallel(64):
                b[i] = a[i] + a[i + 32]  # ~ error[TL308]: a[i + 32] reaches 95
            T.barrier_all()
            T.copy(b, B)
