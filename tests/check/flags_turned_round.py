"""Flags before a loop that lead from the wrong pipe, and readers of what nobody has written yet."""

import tilelang
import tilelang.language as T

FP = "float32"


def handed_on(source, target):
    @T.prim_func
    def main(A: T.Tensor((4, 128), FP), B: T.Tensor((4, 128), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 128), FP)
            with T.Scope("V"):
                T.set_flag(source, target, 1)  # ~ error[TL404]: MTE2->MTE3 id 1 is set here before MTE2 has done anything; MTE3->MTE2 id 1 is waited for before its set
                for i in T.serial(4):
                    T.wait_flag("mte3", "mte2", 1)
                    T.copy(A[i, 0], a)
                    T.set_flag("mte2", "mte3", 0)
                    T.wait_flag("mte2", "mte3", 0)
                    T.copy(a, B[i, 0])
                    T.set_flag("mte3", "mte2", 1)
                T.wait_flag(source, target, 1)

    return main


handed_on("mte2", "mte3")
handed_on("mte3", "mte2")


@T.prim_func
def a_set_is_missing(A: T.Tensor((4, 128), FP), B: T.Tensor((4, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 1)  # leads the right way
            for i in T.serial(4):
                T.wait_flag("mte3", "mte2", 1)
                T.copy(A[i, 0], a)
                T.wait_flag("mte2", "mte3", 1)  # ~ error[TL404]: MTE2->MTE3 id 1: nobody sets the flag
                T.copy(a, B[i, 0])
                T.set_flag("mte3", "mte2", 1)
            T.wait_flag("mte3", "mte2", 1)


@tilelang.jit(out_idx=[2], workspace_idx=[1])
def through_a_workspace(reads_early, slot):
    @T.prim_func
    def main(A: T.Tensor((128, 64), "float16"), W: T.Tensor((2, 64, 64), FP), B: T.Tensor((128, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), FP)
            u = T.alloc_ub((32, 64), FP)
            with T.Scope("C"):
                for i in T.serial(2):
                    T.copy(A[i * 64, 0], a)
                    T.barrier_all()
                    T.gemm_v0(a, a, c, init=True)
                    T.barrier_all()
                    T.copy(c, W[i * slot, 0, 0])
                    T.barrier_all()
                    T.set_cross_flag("FIX", 0)
            with T.Scope("V"):
                for i in T.serial(2):
                    if not reads_early:
                        T.wait_cross_flag(0)
                    T.copy(W[i * slot, vid * 32, 0], u)  # ~ error[TL407]: W: MTE2 of a vector core reads it here, FIX of the cube core writes it in T.copy, and nothing makes MTE2 wait
                    T.barrier_all()
                    T.copy(u, B[i * 64 + vid * 32, 0])
                    T.barrier_all()
                    if reads_early:
                        T.wait_cross_flag(0)

    return main


through_a_workspace(True, 1)  # the reader goes before the first write
through_a_workspace(False, 1)
