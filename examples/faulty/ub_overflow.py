"""A fault on purpose: the three tiles of this kernel do not fit into the UB.

`tl-check examples/faulty` shows how tl-check says so. With tile_rows=16 they do.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def vector_add(rows, columns, tile_rows, dtype="float32"):
    @T.prim_func
    def add(
        A: T.Tensor((rows, columns), dtype),
        B: T.Tensor((rows, columns), dtype),
        C: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(rows // (2 * tile_rows), is_npu=True) as (block, core):
            a = T.alloc_ub((tile_rows, columns), dtype)
            b = T.alloc_ub((tile_rows, columns), dtype)
            c = T.alloc_ub((tile_rows, columns), dtype)
            top = (block * 2 + core) * tile_rows
            with T.Scope("V"):
                T.copy(A[top, 0], a)
                T.copy(B[top, 0], b)
                T.barrier_all()
                T.tile.add(c, a, b)
                T.barrier_all()
                T.copy(c, C[top, 0])

    return add


vector_add(4096, 512, tile_rows=64)
