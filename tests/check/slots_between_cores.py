"""A core that takes another slot of a workspace than the one that its flag stands for."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], workspace_idx=[1])
def racing(ahead):
    @T.prim_func
    def main(
        A: T.Tensor((64, 64), "float16"),
        W: T.Tensor((2, 64, 64), "float32"),
        C: T.Tensor((64, 512), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            x = T.alloc_ub((32, 64), "float32")
            with T.Scope("C"):
                T.copy(A, a)
                for j in T.serial(8):
                    T.barrier_all()
                    T.gemm_v0(a, a, c, init=True)
                    T.barrier_all()
                    T.wait_cross_flag(j % 2)
                    T.copy(c, W[(j + 1) % 2, 0, 0])
                    T.set_cross_flag("FIX", 2 + j % 2)
                T.wait_cross_flag(0)
                T.wait_cross_flag(1)
            with T.Scope("V"):
                T.set_cross_flag("MTE2", 0)
                T.set_cross_flag("MTE2", 1)
                for j in T.serial(8):
                    T.wait_cross_flag(2 + j % 2)
                    T.copy(W[j % 2, vid * 32, 0], x)  # ~ error[TL407]: W: MTE2 of a vector core reads it here, FIX of the cube core writes it in T.copy, and nothing makes MTE2 wait
                    T.set_cross_flag("MTE2", j % 2)
                    T.barrier_all()
                    T.copy(x, C[vid * 32, j * 64])
                    T.barrier_all()

    return main


@tilelang.jit(out_idx=[-1], workspace_idx=[1])
def ordered(shift):
    @T.prim_func
    def main(
        A: T.Tensor((64, 64), "float16"),
        W: T.Tensor((2, 64, 64), "float32"),
        C: T.Tensor((64, 512), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            x = T.alloc_ub((32, 64), "float32")
            with T.Scope("C"):
                T.copy(A, a)
                for j in T.serial(8):
                    T.barrier_all()
                    T.gemm_v0(a, a, c, init=True)
                    T.barrier_all()
                    T.copy(c, W[(j + shift) % 2, 0, 0])
                    T.set_cross_flag("FIX", 0)
                    T.wait_cross_flag(1)
            with T.Scope("V"):
                for j in T.serial(8):
                    T.wait_cross_flag(0)
                    T.copy(W[j % 2, vid * 32, 0], x)  # ~ warning[TL321]: W[j % 2, vid * 32:vid * 32 + 32, :] is read here before anything of its block has written that part
                    T.set_cross_flag("MTE2", 1)
                    T.barrier_all()
                    T.copy(x, C[vid * 32, j * 64])
                    T.barrier_all()

    return main


@tilelang.jit(out_idx=[-1], workspace_idx=[1])
def the_same_slot(shift):
    @T.prim_func
    def main(
        A: T.Tensor((64, 64), "float16"),
        W: T.Tensor((2, 64, 64), "float32"),
        C: T.Tensor((64, 512), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            x = T.alloc_ub((32, 64), "float32")
            with T.Scope("C"):
                T.copy(A, a)
                for j in T.serial(8):
                    T.barrier_all()
                    T.gemm_v0(a, a, c, init=True)
                    T.barrier_all()
                    T.copy(c, W[(j + shift) % 2, 0, 0])
                    T.set_cross_flag("FIX", 0)
                    T.wait_cross_flag(1)
            with T.Scope("V"):
                for j in T.serial(8):
                    T.wait_cross_flag(0)
                    T.copy(W[(j + shift) % 2, vid * 32, 0], x)
                    T.set_cross_flag("MTE2", 1)
                    T.barrier_all()
                    T.copy(x, C[vid * 32, j * 64])
                    T.barrier_all()

    return main


racing(1)
ordered(1)
the_same_slot(1)
