"""Flags between the cores in turns that do not come out even: the call that takes the slot of another turn
is the one whose id stands nowhere else."""
#@ kernels: 5

import tilelang.language as T


def ring(turns, case):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), W: T.Tensor((2, 64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            x = T.alloc_ub((32, 64), "float32")
            with T.Scope("C"):
                T.copy(A[0, 0], a)
                for j in T.serial(turns):
                    T.barrier_all()
                    T.gemm_v0(a, a, c, init=True)
                    T.barrier_all()
                    if case == "credit wait":
                        # ~v error[TL405]: flag 1 is waited for here where flag 0 is set; flag 1: 4 waits
                        T.wait_cross_flag((j + 1) % 2)
                    else:
                        T.wait_cross_flag(j % 2)
                    T.copy(c, W[j % 2, 0, 0])
                    if case == "set":
                        # ~v error[TL405]: flag 3 is set here where flag 2 is waited for; flag 2: 3 waits
                        T.set_cross_flag("FIX", 2 + (j + 1) % 2)
                    else:
                        T.set_cross_flag("FIX", 2 + j % 2)
                T.wait_cross_flag(0)
                T.wait_cross_flag(1)
            with T.Scope("V"):
                T.set_cross_flag("MTE2", 0)
                T.set_cross_flag("MTE2", 1)
                for j in T.serial(turns):
                    if case == "wait":
                        # ~v error[TL405]: flag 3 is waited for here where flag 2 is set; flag 3: 3 waits
                        T.wait_cross_flag(2 + (j + 1) % 2)
                    else:
                        T.wait_cross_flag(2 + j % 2)
                    T.copy(W[j % 2, vid * 32, 0], x)
                    if case == "credit":
                        # ~v error[TL405]: flag 0 is set here where flag 1 is waited for; flag 0: 4 waits
                        T.set_cross_flag("MTE2", (j + 1) % 2)
                    else:
                        T.set_cross_flag("MTE2", j % 2)
                    T.barrier_all()

    return main


for case in ("right", "set", "wait", "credit wait", "credit"):
    ring(5, case)
