"""A copy whose sides differ, and places that do not exist."""

import tilelang.language as T


@T.prim_func
def extents2(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 64), "float16")
        with T.Scope("V"):
            T.copy(A[0:32, 0:64], a)
            # ~^ error[TL202]: A[0:32, 0:64] selects 2048 elements, (32, 64), but a has 1024, (16, 6
            T.barrier_all()
            T.copy(a, B[0, 0])


@T.prim_func
def bounds(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        with T.Scope("V"):
            T.copy(A[1040, 0], a)
            # ~^ warning[TL308]: A[1040:1056, 0:128] begins at 1040 or beyond in dimension 0 of A, (
            T.barrier_all()
            T.copy(a, B[0, 0])


@T.prim_func
def bounds_ub(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        with T.Scope("V"):
            T.copy(A[0:8, 0:128], a[9:17, 0:128])
            # ~^ error[TL308]: a[9:17, :] reaches 16 in dimension 0 of a, (16, 128): the indices the
            T.barrier_all()
            T.copy(a, B[0, 0])
