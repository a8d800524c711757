"""Workspaces of both halves without flags: one missing flag is one fault, whatever it would order."""

import tilelang
import tilelang.language as T

FP, HALF = "float32", "float16"


@tilelang.jit(workspace_idx=[1, 2])
def two_flags():
    @T.prim_func
    def main(
        A: T.Tensor((64, 64), HALF),
        W: T.Tensor((64, 64), HALF),
        P: T.Tensor((64, 64), FP),
        B: T.Tensor((64, 64), FP),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), HALF)
            c = T.alloc_L0C((64, 64), FP)
            d = T.alloc_ub((32, 64), HALF)
            e = T.alloc_ub((32, 64), FP)
            with T.Scope("V"):
                T.copy(A[vid * 32, 0], d)
                T.barrier_all()
                T.copy(d, W[vid * 32, 0])
                T.set_cross_flag("MTE3", 0)
                T.copy(P[vid * 32, 0], e)  # ~ error[TL407]: P: MTE2 of a vector core reads it here
                T.barrier_all()
                T.copy(e, B[vid * 32, 0])
            with T.Scope("C"):
                T.copy(W, a)  # ~ error[TL407]: W: MTE2 of the cube core reads it here
                T.barrier_all()
                T.gemm_v0(a, a, c, init=True)
                T.barrier_all()
                T.copy(c, P)
                T.set_cross_flag("FIX", 1)

    return main


two_flags()


@tilelang.jit(workspace_idx=[1, 2])
def one_flag():
    @T.prim_func
    def main(
        A: T.Tensor((64, 64), HALF),
        W: T.Tensor((64, 64), HALF),
        V: T.Tensor((64, 64), HALF),
        B: T.Tensor((64, 64), FP),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), HALF)
            b = T.alloc_L1((64, 64), HALF)
            c = T.alloc_L0C((64, 64), FP)
            d = T.alloc_ub((32, 64), HALF)
            with T.Scope("V"):
                T.copy(A[vid * 32, 0], d)
                T.barrier_all()
                T.copy(d, W[vid * 32, 0])
                T.copy(d, V[vid * 32, 0])
                T.set_cross_flag("MTE3", 0)
            with T.Scope("C"):
                T.copy(W, a)  # ~ error[TL407]: W: MTE2 of the cube core reads it here
                T.copy(V, b)
                T.barrier_all()
                T.gemm_v0(a, b, c, init=True)
                T.barrier_all()
                T.copy(c, B)

    return main


one_flag()


@tilelang.jit(workspace_idx=[1])
def handed_back():
    @T.prim_func
    def main(W: T.Tensor((64, 64), FP), V: T.Tensor((64, 64), HALF), B: T.Tensor((64, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), HALF)
            c = T.alloc_L0C((64, 64), FP)
            d = T.alloc_ub((32, 64), FP)
            h = T.alloc_ub((32, 64), HALF)
            with T.Scope("V"):
                T.copy(W[vid * 32, 0], d)  # ~ error[TL407]: W: MTE2 of a vector core reads it here
                T.barrier_all()
                T.tile.cast(h, d, "CAST_RINT", 32 * 64)
                T.barrier_all()
                T.copy(h, V[vid * 32, 0])
                T.set_cross_flag("MTE3", 0)
            with T.Scope("C"):
                # The flag that lets V be read would say, too, that W has been.
                T.copy(V, a)
                T.barrier_all()
                T.gemm_v0(a, a, c, init=True)
                T.barrier_all()
                T.copy(c, W)
                T.copy(c, B)

    return main


handed_back()


@tilelang.jit(workspace_idx=[1])
def two_of_one_direction():
    @T.prim_func
    def main(W: T.Tensor((64, 64), FP), V: T.Tensor((64, 64), HALF), B: T.Tensor((64, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), HALF)
            c = T.alloc_L0C((64, 64), FP)
            d = T.alloc_ub((32, 64), FP)
            h = T.alloc_ub((32, 64), HALF)
            with T.Scope("V"):
                T.tile.fill(h, 1.0)
                T.barrier_all()
                T.copy(h, V[vid * 32, 0])
                T.set_cross_flag("MTE3", 0)
                T.copy(W[vid * 32, 0], d)
                T.barrier_all()
                T.copy(d, B[vid * 32, 0])
            with T.Scope("C"):
                T.copy(V, a)  # ~ error[TL407]: V: MTE2 of the cube core reads it here
                T.barrier_all()
                T.gemm_v0(a, a, c, init=True)
                T.barrier_all()
                T.wait_cross_flag(0)
                T.copy(c, W)  # ~ error[TL407]: W: FIX of the cube core writes it here

    return main


two_of_one_direction()
