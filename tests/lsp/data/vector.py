"""Element-wise arithmetic on the vector cores."""

import tilelang
from tilelang import language as L

ROWS, COLUMNS = 2048, 256
TILE = 64


@tilelang.jit(out_idx=[2])
def scaled_sum(rows: int, columns: int, tile: int, factor: float = 0.5):
    """Half of what a and b are together."""

    @L.prim_func
    def scaled(
        a: L.Tensor((rows, columns), "float32"),
        b: L.Tensor((rows, columns), "float32"),
        c: L.Tensor((rows, columns), "float32"),
    ):
        with L.Kernel(rows // tile, is_npu=True) as (block, half):
            left = L.alloc_ub((tile // 2, columns), "float32")
            right = L.alloc_ub((tile // 2, columns), "float32")
            with L.Scope("V"):
                row = block * tile + half * (tile // 2)
                L.copy(a[row, 0], left)
                L.copy(b[row, 0], right)
                L.barrier_all()
                L.tile.add(left, left, right)
                L.barrier_all()
                L.tile.mul(left, left, factor)
                L.barrier_all()
                L.copy(left, c[row, 0])

    return scaled


run = scaled_sum(ROWS, COLUMNS, TILE)
