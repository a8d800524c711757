"""What code may have changed of which it is not known whether it runs, is not known, and silent."""

import os

import tilelang.language as T

FLAG = os.environ.get("FLAG")


class Sizes:
    rows = 1


def factory(n):
    tiles = [64]
    sizes = Sizes()
    turns = 0
    if FLAG:
        tiles.append(128)
        sizes.rows = 2
    for tile in (64, 0):
        if FLAG:
            continue
        turns += 128 // tile  # it may not come here
    assert len(tiles) == 2
    assert sizes.rows == 2
    assert turns == 2
    known = [x for x in (4, 2, 0) if x]
    assert any(8 // x > 3 for x in [*known, 0]), "any() stops before the zero"

    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            u = T.alloc_ub((known[0] * 16,), "float32")  # ~ hint u: float32[64] UB 256 B
            T.copy(A[0], u)

    return main


factory(64)
