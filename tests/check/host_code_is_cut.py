"""Host code that leads to no kernel may loop as it likes: no message, names after it are unknown."""
#@ instance: n=64

import tilelang
import tilelang.language as T

total = 0
for i in range(10**9):
    total += i


def reference(a):
    out = []
    while True:
        out.append(len(out))
        if len(out) > 10**9:
            return out


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@tilelang.jit
def good(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((n,), "float32")
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(a, A[0])

    return main


reference(1)
fib(64)
good(64)
