"""Names that T does not have, or not on this hardware."""
#@ skipped: T.dyn: T has no such name
#@ skipped: T.dynamic: T has no such name

import tilelang.language as T


def of_dyn():
    n = T.dyn["n"]  # ~ error[TL104]: T.dyn: T has no such name; use T.symbolic("n")

    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            T.copy(A[0, 0], a)

    return main


of_dyn()


def of_dynamic():
    n = T.dynamic("n")  # ~ error[TL104]: T.dynamic: T has no such name; use T.symbolic("n")

    @T.prim_func
    def main(A: T.Tensor((n, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            T.copy(A[0, 0], a)

    return main


of_dynamic()


@T.prim_func
def fill(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        with T.Scope("V"):
            T.fill(a, 0)  # ~ error[TL104]: T.fill: T has no such name; use T.tile.fill
            T.barrier_all()
            T.copy(a, B[0, 0])


@T.prim_func
def gemm(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.gemm(x, y, c)
            # ~^ error[TL104]: T.gemm: a GPU function that is not lowered on Ascend; use T.gemm_v0 (
            T.barrier_all()
            T.copy(c, C[0, 0])
