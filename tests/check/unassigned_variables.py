"""Variables that are read, and that nothing assigns."""

import tilelang.language as T


@T.prim_func
def operand(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        x = T.alloc_var("float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.barrier_all()
            T.tile.add(a, a, x)
            # ~^ warning[TL321]: x is read here, and nothing in the kernel assigns it
            T.tile.add(a, a, x)
            T.barrier_all()
            T.copy(a, B)


@T.prim_func
def index(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32, 64), "float32")
        row = T.alloc_var("int32")
        with T.Scope("V"):
            T.copy(A[row + vid * 32, 0], a)  # ~ warning[TL321]: row is read here, and nothing in the kernel assigns it
            T.barrier_all()
            T.copy(a, B[vid * 32, 0])


@T.prim_func
def condition(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32"), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        count = T.alloc_var("int32")
        other = T.alloc_var("int32")
        first = T.alloc_var("int32", init=3)
        with T.Scope("V"):
            T.copy(A, a)
            T.barrier_all()
            if count > n:  # ~ warning[TL321]: count is read here, and nothing in the kernel assigns it
                T.tile.exp(a, a)
                T.barrier_all()
            for i in T.serial(4):
                if other > first:
                    T.tile.exp(a, a)
                    T.barrier_all()
                other = other + 1
            T.copy(a, B)
