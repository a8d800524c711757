"""Where a call may not come, or what it raises may be caught, what its kernel says is told all the
same."""

import library
import pytest
import tilelang
import tilelang.language as T


@tilelang.jit
def fill(size, wrong):
    assert size % 8 == 0

    @T.prim_func
    def main(A: T.Tensor((size,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((size,), "float32")
            if wrong == 1:
                T.tile.nothing(a)  # ~ error[TL104]: T.tile.nothing
            elif wrong == 2:
                T.tile.exp(a)  # ~ error[TL104]: misses the argument
            elif wrong == 3:
                T.tile.exp(a, a, a)  # ~ error[TL104]: takes 2 arguments
            elif wrong == 4:
                T.tile.exp(a, a, size=3)  # ~ error[TL104]: no argument 'size'
            T.copy(a, A[0])

    return main


def run():
    fill(8, 2)
    fill(7, 2)


with library.guard():
    fill(8, 1)
    fill(7, 1)
library.measure(run)


@pytest.mark.skip
def test_skipped():
    fill(8, 3)
    fill(7, 3)


for size in library.sizes():
    fill(8, 4)
    fill(7, 4)
