"""A statement that cannot be understood costs what depends on it; the other calls are looked at."""

import tilelang.language as T

FP = "float32"


@T.prim_func
def names(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), FP)
        b = T.alloc_UB((64, 64), FP)  # ~ error[TL104]: there is no T.alloc_UB
        half = T.alloc_ub((64, 64), "float16")
        few = T.alloc_ub((32, 64), FP)
        left = T.alloc_L1((64, 64), FP)
        T.copy(A, b)
        T.tile.add(b, b, half)
        T.copy(A, half)  # ~ error[TL303]: A holds float32 and half float16
        T.tile.exp(a, few)  # ~ error[TL302]: few has 2048 elements
        T.tile.relu(left, left)  # ~ error[TL315]: left lies in L1
        T.tile.cast(half, a, "RINT", 4096)  # ~ error[TL106]: CAST_NONE, CAST_RINT
        for t in T.serial(4):
            T.reduce_maximum(a, few)  # ~ error[TL104]: did you mean T.reduce_max?
            T.tile.exp(a[t + 61, :], a[t, :])  # ~ error[TL308]: reaches 64 in dimension 0 of a
            T.set_flag("mte2", "v", 0)
        T.copy(half, B)


def sizes(kind):
    @T.prim_func
    def main(A: T.Tensor((64, 64), FP), n: T.int32):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            other = T.alloc_UB((64, 64), FP)  # ~ error[TL104]: there is no T.alloc_UB
            a = T.alloc_ub((64, 64), "float16")
            if other.dtype == "float16":
                T.copy(A, a)
            if kind == "float16":
                T.copy(A, a)

    return main


sizes(FP)


@T.prim_func
def nothing_known(A: T.Tensor((64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        other = T.alloc_UB((64, 64), FP)  # ~ error[TL104]: there is no T.alloc_UB
        a = T.alloc_ub((64, 64), "float16")
        for t in other:
            T.copy(A, a)


@T.prim_func
def values(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP), n: T.int64):  # ~ warning[TL122]: n is int64
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), FP)
        b = T.alloc_ub((rows, 64), FP)  # ~ error[TL103]: name 'rows' is not defined
        step = T.ceildivide(64, 4)  # ~ error[TL104]: T.ceildiv
        T.copy(A, a)
        T.set_flag("mte2", "vec", 0)  # ~ error[TL106]: there is no pipe 'vec'
        T.copy(A[64, 0], a)  # ~ warning[TL308]: begins at 64 or beyond
        T.copy(A[step, 0], a)
        for t in T.serial(5):
            T.copy(A[step, 0], a[t * 16 : t * 16 + 16, :])
            T.tile.exp(a[t * 16, :], a[t * 16, :])  # ~ error[TL308]: reaches 64 in dimension 0 of a
