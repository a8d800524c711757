"""The scalar unit moves 16-bit floats, but does not compute with them; vector code does."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float16"), B: T.Tensor((64,), "bfloat16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float16")
        b = T.alloc_ub((64,), "bfloat16")
        f = T.alloc_ub((64,), "float32")
        x = T.alloc_ub((64,), "int32")
        with T.Scope("V"):
            T.copy(A, a)
            T.copy(B, b)
            T.barrier_all()
            a[0] = a[1]
            a[1] = a[2] + a[3]  # ~ error[TL305]: float16 arithmetic of the scalar unit
            b[1] = b[2] * 2.0  # ~ error[TL305]: bfloat16 arithmetic of the scalar unit
            f[0] = T.Cast("float32", a[2]) + T.Cast("float32", a[3])
            f[1] = f[2] + f[3]
            a[x[0] + x[1]] = a[x[2] * 2]
            a[2] = T.if_then_else(x[0] > 3, a[4], a[5])
            for i in T.Parallel(64):
                a[i] = a[i] + a[i]
