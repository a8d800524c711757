"""The A5 has a UB of 256 KiB and an L0C of 256 KiB."""
#@ target: A2, A3, A5

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((256, 200), "float32"), B: T.Tensor((512, 128), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((256, 200), "float32")  # ~[A2] error[TL503]: 204800 # ~[A3] error[TL503]: 204800
        c = T.alloc_L0C((512, 128), "float32")  # ~[A2] error[TL502]: 262144 # ~[A3] error[TL502]: 262144
        T.copy(A, a)
        T.barrier_all()
        T.copy(a, A)
        T.copy(c, B)
