"""Every exception of Python's own operations is told, where its operands are known."""

import tilelang.language as T


class Sizes:
    def __init__(self, n):
        self.n = n


def factory(n):
    a = int("x")  # ~ error[TL103]: ValueError: invalid literal
    b = "a" + n  # ~ error[TL103]: TypeError: can only concatenate
    c = max([])  # ~ error[TL103]: ValueError: max() arg is an empty sequence
    d = next(iter([]))  # ~ error[TL103]: StopIteration
    e = Sizes(n).m  # ~ error[TL103]: AttributeError: 'Sizes' object has no attribute 'm'
    f = [1, 2].index(n)  # ~ error[TL103]: ValueError: 64 is not in list
    g = f"{1.5:d}"  # ~ error[TL103]: ValueError: Unknown format code
    (1, 2)[0] = 3  # ~ error[TL103]: TypeError
    for h in n:  # ~ error[TL103]: TypeError: 'int' object is not iterable
        pass

    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            u = T.alloc_ub((64,), "float32")
            T.copy(A[0], u)

    return main


factory(64)
