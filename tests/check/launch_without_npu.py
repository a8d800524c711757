"""A launch that is not said to be one of an NPU is one of a GPU."""

import tilelang.language as T


@T.prim_func
def forgotten(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(8) as (cid, vid):  # ~ error[TL106]: is_npu=True is missing
        a = T.alloc_ub((4, 64), "float32")
        T.copy(A[(cid * 2 + vid) * 4, 0], a)
        T.copy(a, B[(cid * 2 + vid) * 4, 0])


@T.prim_func
def halved(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(8, threads=2) as cid:  # ~ error[TL106]: is_npu=True is missing
        a = T.alloc_shared((8, 64), "float32")
        T.copy(A[cid * 8, 0], a)


def of_a_parameter(npu):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(8, is_npu=npu) as (cid, vid):
            a = T.alloc_ub((4, 64), "float32")
            T.copy(A[(cid * 2 + vid) * 4, 0], a)
            T.barrier_all()
            T.copy(a, B[(cid * 2 + vid) * 4, 0])

    return main


of_a_parameter(True)
