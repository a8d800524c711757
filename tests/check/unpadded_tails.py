"""Tails of tiles whose elements upstream's template does not fill."""

import tilelang
import tilelang.language as T


def build(dtype, columns, pad):
    @T.prim_func
    def main(A: T.Tensor((64, columns), dtype), B: T.Tensor((64, 128), dtype)):
        with T.Kernel(2, is_npu=True) as (cid, vid):
            x = T.alloc_ub((16, 128), dtype)
            with T.Scope("V"):
                if pad is None:
                    T.copy(A[cid * 32 + vid * 16, 0], x)  # ~ info[TL327]: fills no elements of int8
                else:
                    T.copy(A[cid * 32 + vid * 16, 0], x, pad_value=pad)  # ~ warning[TL327]: not even with a pad_value
                T.barrier_all()
                T.copy(x, B[cid * 32 + vid * 16, 0])

    return main


build("int8", 100, None)
build("int64", 100, None)  # the same, with another type
build("uint8", 100, 1)
build("int8", 128, None)
build("int32", 100, None)
build("float16", 100, 1)


@tilelang.jit(out_idx=[1], target="pto")
def on_pto():
    @T.prim_func
    def main(A: T.Tensor((64, 100), "int8"), B: T.Tensor((64, 128), "int8")):
        with T.Kernel(2, is_npu=True) as (cid, vid):
            x = T.alloc_ub((16, 128), "int8")
            with T.Scope("V"):
                T.copy(A[cid * 32 + vid * 16, 0], x)
                T.barrier_all()
                T.copy(x, B[cid * 32 + vid * 16, 0])

    return main


on_pto()


@T.prim_func
def rows(A: T.Tensor((60, 128), "int8"), B: T.Tensor((64, 128), "int8")):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 128), "int8")
        with T.Scope("V"):
            for i in T.serial(2):
                T.copy(A[i * 32, 0], x)  # in all of its iterations within the tensor
                T.barrier_all()
                T.copy(A[i * 16 + 32, 0], x)  # ~ info[TL327]: the rest of x keeps what was there
                T.barrier_all()
                T.copy(x, B[i * 16, 0])
                T.barrier_all()
