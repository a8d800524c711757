"""What gemm_v0 itself takes of L0A and L0B."""

import tilelang.language as T


@T.prim_func
def slots(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((256, 256), "float16")
        y = T.alloc_L1((256, 256), "float16")
        c = T.alloc_L0C((256, 128), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.gemm_v0(x, y[:, 0:128], c, init=True)
            # ~^ error[TL502]: gemm_v0 needs 131072 bytes of L0A for x: M = 256 x 256 of K x 2 bytes
            T.barrier_all()
            T.copy(c, C[0, 0])


@T.prim_func
def user_l0(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        z = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        la = T.alloc_L0A((64, 128), "float16")
        lb = T.alloc_L0B((128, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(A[64, 0], z)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.copy(z, la)
            T.copy(y, lb)
            T.barrier_all()
            T.gemm_v0(x, y, c, init=True)
            # ~^ error[TL502]: gemm_v0 overwrites la, which is read behind it: its template takes by
            T.barrier_all()
            T.mma(la, lb, c)
            T.barrier_all()
            T.copy(c, C[0, 0])
