"""A Python error inside `try` goes to its handler, and is not told."""

import tilelang.language as T


def factory(n):
    try:
        width = {"a": 1}["b"]
    except KeyError:
        width = n
    try:
        height = [1, 2][7]
    except ValueError:
        height = 0
    except Exception:
        height = 2

    @T.prim_func
    def main(A: T.Tensor((n, n), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((width,), "float32")  # ~ hint a: float32[64] UB 256 B
            T.copy(A[0, 0:64], a)

    return main


factory(64)
