"""Shapes and element types of allocations."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((-4,), "float32")  # ~ error[TL107]: -4
        b = T.alloc_ub((0, 8), "float32")  # ~ error[TL107]: 0
        c = T.alloc_ub((64, 2.5), "float32")  # ~ error[TL107]: 2.5
        d = T.alloc_ub((64, cid), "float32")  # ~ error[TL203]: cid
        e = T.alloc_ub((64,), "float33")  # ~ error[TL303]: float33
        f = T.alloc_ub("64", "float32")  # ~ error[TL107]: shape
        g = T.alloc_ub((1,) * 9, "float32")  # ~ error[TL107]: 9
        h = T.alloc_ub(64, "float32")  # ~ error[TL107]: shape
