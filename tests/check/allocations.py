"""Shapes and element types of allocations."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((-4,), "float32")
#                      ^^^^^ error[TL107]: the shape (-4,) is impossible: -4 is negative
        b = T.alloc_ub((64, 2.5), "float32")  # ~ error[TL107]: 2.5 is not an integer
        c = T.alloc_ub((64,), "float33")  # ~ error[TL107]: no element type 'float33'
        d = T.alloc_ub(64, "float32")  # ~ hint d: float32[64] UB 256 B
        e = T.alloc_ub([8, 2 * 4], "int8")  # ~ hint e: int8[8,8] UB 64 B
