"""What Python would raise for certain, in factories and kernels only."""

import tilelang
import tilelang.language as T

TABLE = {"a": 1}
missing = TABLE["b"]  # host code: not told


def factory(n):
    x = 10 // (n - 64)  # ~ error[TL103]: division by zero
    y = TABLE["tile"]  # ~ error[TL103]: KeyError: 'tile'
    z = [1, 2][n]  # ~ error[TL103]: IndexError
    a, b = (1, 2, 3)  # ~ error[TL103]: cannot unpack 3 values into 2 names
    w = undefined_name + 1  # ~ error[TL103]: 'undefined_name' is not defined
    helper(1, 2, 3)  # ~ error[TL103]: takes 1 positional argument but 3
    helper(b=1)  # ~ error[TL103]: no parameter 'b'
    helper()  # ~ error[TL103]: misses the argument 'a'

    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            u = T.alloc_ub((n,), "float32")
            T.tile.fill(u, 1.0 / (n - 64))  # ~ error[TL103]: division by zero
            T.copy(u, A[0])

    return main


def helper(a):
    return a


factory(64)
