"""L1 holds 524032 B that can be planned."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((512, 512), "float16"), B: T.Tensor((256, 256), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((512, 496), "float16")  # ~ hint a: float16[512,496] L1 zN 496 KiB
        b = T.alloc_L1((128, 128), "float16")  # ~ error[TL501]: 540672
        T.copy(A[0, 0], a)
        T.copy(A[0, 0], b)
