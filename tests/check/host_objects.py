"""Host code that changes objects in place, through other names, and from inner functions."""
#@ instance: n=64

import tilelang
import tilelang.language as T


class Sizes:
    rows = 1

    def __init__(self, n):
        self._n = n

    @property
    def n(self):
        return self._n

    @n.setter
    def n(self, value):
        self._n = 2 * value

    def __eq__(self, other):
        return True


Sizes.rows = 640


def factory(n):
    first = second = [1]
    first += [2]
    assert len(second) == 2
    table = {"a": 1}
    other = table
    table |= {"b": 2}
    assert other["b"] == 2
    items = [1, 2, 3]
    del items[0]
    assert items == [2, 3]
    count = 0

    def bump():
        nonlocal count
        count += 640

    bump()
    assert count == 640
    assert Sizes.rows == 640
    sizes = Sizes(n)
    sizes.n = 8
    assert sizes.n == 16, "a setter may do anything: this is not known, so nothing is said"
    assert Sizes(1) == Sizes(2), "a class may define equality"
    assert max("ab") == "b"

    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((count,), "float32")  # ~ hint a: float32[640] UB 2,560 B
            T.copy(A[0], a)

    return main


factory(64)
