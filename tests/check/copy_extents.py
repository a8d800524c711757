"""How much a copy moves must follow from what is written."""

import tilelang.language as T


@T.prim_func
def main(
    A: T.Tensor((4, 128, 64), "float32"), B: T.Tensor((128, 64), "float32"), C: T.Tensor((128, 64), "float32")
):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        u = T.alloc_ub((32, 64), "float32")
        wide = T.alloc_ub((32, 128), "float32")
        three = T.alloc_ub((4, 8, 64), "float32")
        T.copy(A[0, 0, 0], u)
        T.copy(A[cid, 0:32, :], u)
        T.copy(A[cid, 0:32, 0:64], u[0, 0])
        T.copy(B[100, 0], u)  # 28 rows exist: the rest is filled
        T.copy(u[0:16, :], C[cid * 32, 0])
        T.copy(B, u)
#       ^^^^^^^^^^^^ error[TL202]: (128, 64)
        T.copy(A[0, 0, 0], u[0, 0])  # ~ error[TL202]: single elements
        T.copy(A[cid, 0], u)  # ~ error[TL202]: 3-dimensional
        T.copy(A[0:4, 0:8, 0:64], three)  # ~ error[TL202]: at most two dimensions
        T.copy(B[0:64, :], u)  # ~ error[TL202]: 4096 elements


@T.prim_func
def rows(X: T.Tensor((1000, 256), "float32"), Y: T.Tensor((1000, 256), "float32")):
    with T.Kernel(32, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 256), "float32")
        top = (cid * 2 + vid) * 16
        n = T.min(16, 1000 - top)
        if n > 0:
            T.copy(X[top : top + n, :], x[0:n, 0:128])
            # ~^ error[TL202]: has 256 elements along dimension 1, but x[0:min(
            T.pipe_barrier("mte2")
            T.copy(X[top : top + n, 0:128], x[0:n, 0:128])
            T.barrier_all()
            T.copy(x[0:n, 0:128], Y[top : top + n, :])  # ~ error[TL202]: 256 elements along dimension 1
            T.pipe_barrier("mte3")
            T.copy(x[0:n, :], Y[top : top + n, :])
