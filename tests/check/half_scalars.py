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


@T.prim_func
def operands(A: T.Tensor((64, 128), "float16"), S: T.Tensor((64,), "float16"), C: T.Tensor((64, 128), "float16")):
    """Also where a vector operation takes the value, a branch asks for it, or it has a name."""
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 128), "float16")
        s = T.alloc_ub((16,), "float16")
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r, 0], x)
            T.copy(S[cid * 16], s)
            T.barrier_all()
            for i in T.serial(8):
                T.tile.mul(x[i, :], x[i, :], S[r + i] * 2 + 1)  # ~ error[TL305]: 2 is float16 arithmetic
            T.tile.mul(x[0, :], x[0, :], s[0] * s[1])  # ~ error[TL305]: s[0] * s[1] is float16 arithmetic
            T.tile.add(x, x, s[3])
            T.tile.fill(x[1, :], s[1] - s[2])  # ~ error[TL305]: float16 arithmetic
            if s[4] + s[5] > 0:  # ~ error[TL305]: float16 arithmetic
                T.tile.exp(x, x)
            if s[4] > s[5]:
                T.tile.exp(x, x)
            T.barrier_all()
            T.copy(x, C[r, 0])


@T.prim_func
def of_rows(A: T.Tensor((64, 128), "float16"), S: T.Tensor((64,), "float16"), C: T.Tensor((64, 128), "float16")):
    """T.Parallel computes with vectors what it can."""
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 128), "float16")
        s = T.alloc_ub((8,), "float16")
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r, 0], x)
            T.copy(S[r], s)
            T.barrier_all()
            for i, j in T.Parallel(8, 128):
                x[i, j] = x[i, j] * s[i]
            T.barrier_all()
            T.copy(x, C[r, 0])
