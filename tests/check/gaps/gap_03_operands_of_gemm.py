"""M, N, element types and memories of matrix operands."""

import tilelang.language as T


@T.prim_func
def gemm_mn(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((64, 32), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.gemm_v0(x, y, c, init=True)
            # ~^ error[TL301]: N is 64 in y (128, 64) but 32 in c (64, 32)
            T.barrier_all()
            T.copy(c, C[0, 0])


@T.prim_func
def gemm_dtype(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((64, 64), "float16")
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.gemm_v0(x, y, c, init=True)
            # ~^ error[TL301]: c holds float16; the matrix unit accumulates float16 in float32
            T.barrier_all()
            T.copy(c, C[0, 0])


@T.prim_func
def gemm_scope(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        with T.Scope("C"):
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.gemm_v0(x, y, c, init=True)
            # ~^ error[TL301]: x lies in UB; operand A of T.gemm_v0 must lie in L1
            T.barrier_all()
            T.copy(c, C[0, 0])


@T.prim_func
def mma_mn(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        la = T.alloc_L0A((64, 128), "float16")
        lb = T.alloc_L0B((128, 64), "float16")
        c = T.alloc_L0C((32, 64), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.copy(x, la)
            T.copy(y, lb)
            T.barrier_all()
            T.mma(la, lb, c, init=True)
            # ~^ error[TL301]: M is 64 in la (64, 128) but 32 in c (32, 64)
            T.barrier_all()
            T.copy(c, C[0, 0])
