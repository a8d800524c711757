"""A size that only the device knows cannot be the size of a buffer."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), n: T.int32):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, cid + 1), "float32")  # ~ error[TL203]: cid
        b = T.alloc_ub((n, 64), "float32")  # ~ error[TL203]: n
