"""Other shapes and element types for the bytes of a buffer."""

import tilelang
import tilelang.language as T


@T.prim_func
def reshaped(A: T.Tensor((64, 64), "float32"), B: T.Tensor((4096,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        flat = T.reshape(a, [4096])  # ~ hint flat: float32[4096] UB 16 KiB
        words = T.view(a, dtype="int32")
        T.copy(A, a)
        T.tile.bitwise_lshift(words, words, 1)
        T.copy(flat, B)


@T.prim_func
def too_large(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        b = T.reshape(a, (64, 65))  # ~ error[TL107]: b is read as 16640 bytes, but a has 16384


@T.prim_func
def recast(A: T.Tensor((4096,), "int32"), B: T.Tensor((4096,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        table = T.alloc_ub((4096,), "float32")
        ints = T.alloc_ub((4096,), "int32")
        offsets = T.alloc_ub((4096,), "uint32")
        T.copy(A, ints)
        T.reinterpretcast(offsets, ints, "uint32_t")
        T.copy(B, table)
        T.tile.gather(table, table, offsets, 0)
        T.copy(table, B)


@T.prim_func
def no_such_type(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "int32")
        b = T.alloc_ub((64,), "float32")
        T.reinterpretcast(b, a, "float_t32")  # ~ error[TL107]: there is no element type 'float_t32'
