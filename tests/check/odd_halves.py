"""With threads=2 a tile with an odd number of rows loses one; even ones and single rows do not."""

import tilelang
import tilelang.language as T


@tilelang.jit(
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_memory_planning": True,
        "tl.ascend_auto_cv_combine": True,
    }
)
def build(rows):
    @T.prim_func
    def main(x: T.Tensor((128, 96), "float16"), y: T.Tensor((128, 96), "float16")):
        with T.Kernel(4, threads=2, is_npu=True) as (cid):
            a = T.alloc_shared((rows, 96), "float16")  # ~ warning[TL803]: a has 15 rows: with threads=2
            T.copy(x[cid * rows, 0], a)
            T.tile.add(a, a, 1.0)
            T.copy(a, y[cid * rows, 0])

    return main


build(15)
build(16)
