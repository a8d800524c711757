"""Faults that no one change mends stay apart, however alike they are."""
#@ kernels: 7

import tilelang.language as T


@T.prim_func
def two_tiles(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 32), "float32")
        b = T.alloc_ub((32, 64), "float32")
        with T.Scope("V"):
            T.copy(A[0:64, 0:64], a)  # ~ error[TL202]: but a has 2048
            T.copy(A[0:64, 0:64], b)  # ~ error[TL202]: but b has 2048
            T.barrier_all()
            T.copy(a, C[0:64, 0:32])
            T.barrier_all()
            T.copy(b, C[0:32, 0:64])


@T.prim_func
def two_places_of_a_tile(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((4, 64), "float32")
        with T.Scope("V"):
            T.copy(A[0, 0], x)
            T.barrier_all()
            for i in T.serial(4):
                T.tile.exp(x[i + 1, :], x[i, :])  # ~ error[TL308]: x[i + 1, :] reaches 4
                T.tile.exp(x[i * 2, :], x[i, :])  # ~ error[TL308]: x[i * 2, :] reaches 6
                T.tile.exp(x[vid + 3, :], x[i, :])  # ~ error[TL308]: x[vid + 3, :] reaches 4
            T.barrier_all()
            T.copy(x, C[0, 0])


@T.prim_func
def two_operands(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), "float32")
        with T.Scope("V"):
            T.copy(A[vid * 8, 0], a)
            T.barrier_all()
            # ~v error[TL308]: a[vid + 8, :] reaches 9 # ~v error[TL315]: A lies in GM
            T.tile.add(a[0, :], a[vid + 8, :], A[0, :])
            T.barrier_all()
            T.copy(a, C[vid * 8, 0])


def two_literals(N):
    @T.prim_func
    def main(A: T.Tensor((64, N), "float32"), C: T.Tensor((64, N), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 100), "float32")
            b = T.alloc_ub((8, 100), "float32")
            with T.Scope("V"):
                T.copy(A[vid * 8, 0], a)  # ~ error[TL205]: 8 rows of a
                T.copy(A[vid * 8, 0], b)  # ~ error[TL205]: 8 rows of b
                T.barrier_all()
                T.copy(a, C[vid * 8, 0])
                T.copy(b, C[vid * 8 + 16, 0])

    return main


two_literals(100)


@T.prim_func
def two_types(A: T.Tensor((64, 64), "bfloat16"), C: T.Tensor((64, 64), "bfloat16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), "bfloat16")
        b = T.alloc_ub((8, 64), "bfloat16")
        with T.Scope("V"):
            T.copy(A[vid * 8, 0], a)
            T.copy(A[vid * 8, 0], b)
            T.barrier_all()
            T.tile.exp(a, a)  # ~ error[TL303]: a holds bfloat16
            T.tile.abs(b, b)  # ~ error[TL303]: b holds bfloat16
            T.barrier_all()
            T.copy(a, C[vid * 8, 0])
            T.copy(b, C[vid * 8 + 16, 0])


@T.prim_func
def two_names(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("V"):
            T.copy(A, one)  # ~ error[TL103]: name 'one' is not defined
            T.copy(other, C)  # ~ error[TL103]: name 'other' is not defined


@T.prim_func
def a_path_and_an_order(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), "float32")
        b = T.alloc_ub((8, 64), "float32")
        with T.Scope("V"):
            T.copy(A[vid * 8, 0], a)
            T.tile.exp(a, a)  # ~ error[TL406]: a
            T.barrier_all()
            T.tile.exp(b, A[0:8, :])  # ~ error[TL315]: A lies in GM
            T.barrier_all()
            T.copy(a, C[vid * 8, 0])
            T.copy(b, C[vid * 8 + 16, 0])
