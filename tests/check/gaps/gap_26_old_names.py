"""Names that go."""

import tilelang.language as T
import tilelang.language.pto as P


@T.prim_func
def brcb(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float16")
        b = T.alloc_ub((64, 16), "float16")
        with T.Scope("V"):
            T.copy(A[0, 0:64], a)
            T.barrier_all()
            T.tile.brcb(b, a, 8, 1, 8)
            # ~^ error[TL104]: T.tile.brcb: upstream writes no device code for it; use T.tile.brcb_e
            T.barrier_all()
            T.copy(b, B[0, 0])


@T.prim_func
def pto(A: T.Tensor((16, 64), "float32"), B: T.Tensor((16, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 64), "float32")
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.barrier_all()
            P.exp(a, a)
            # ~^ hint[TL124]: tilelang.language.pto.exp is deprecated: use T.tile.exp
            T.barrier_all()
            T.copy(a, B[0, 0])
