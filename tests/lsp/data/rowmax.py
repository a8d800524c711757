"""The maximum of each row, for two sizes and types."""

import tilelang.language as T


def rowmax(M=512, N=128, *, dtype="float16"):
    """Docstring with "quotes" and a # in it."""

    @T.prim_func
    def kernel(X: T.Tensor((M, N), dtype), Y: T.Tensor((M,), dtype)):
        with T.Kernel(M // 64, is_npu=True) as (block, half):
            x = T.alloc_ub((32, N), dtype)
            y = T.alloc_ub((32,), dtype)
            with T.Scope("V"):
                row = block * 64 + half * 32
                T.copy(X[row, 0], x)
                T.barrier_all()
                T.reduce_max(x, y, dim=-1)
                T.barrier_all()
                T.copy(y, Y[row])

    return kernel


functions = [rowmax(), rowmax(M=1024, dtype="float32")]
