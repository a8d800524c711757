"""A flag's call between the cores that stands twice is told where it stands the second time."""
#@ kernels: 3

import tilelang.language as T


def credits(more_sets, more_waits, more_drains):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), W: T.Tensor((2, 64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            x = T.alloc_ub((32, 64), "float32")
            with T.Scope("C"):
                T.copy(A[0, 0], a)
                for j in T.serial(4):
                    T.barrier_all()
                    T.gemm_v0(a, a, c, init=True)
                    T.barrier_all()
                    T.wait_cross_flag(j % 2)
                    T.copy(c, W[j % 2, 0, 0])
                    T.set_cross_flag("FIX", 2 + j % 2)
                T.wait_cross_flag(0)
                T.wait_cross_flag(1)
                if more_drains:
                    T.wait_cross_flag(1)  # ~ error[TL405]: flag 1: 4 waits, but only 3 sets
            with T.Scope("V"):
                T.set_cross_flag("MTE2", 0)
                T.set_cross_flag("MTE2", 1)
                for j in T.serial(4):
                    T.wait_cross_flag(2 + j % 2)
                    if more_waits:
                        T.wait_cross_flag(2 + j % 2)  # ~ error[TL405]: flags 2 and 3: 8 waits
                    T.copy(W[j % 2, vid * 32, 0], x)
                    T.barrier_all()
                    T.set_cross_flag("MTE2", j % 2)
                    if more_sets:
                        T.set_cross_flag("MTE2", j % 2)  # ~ warning[TL405]: flags 0 and 1: 10 sets

    return main


credits(True, False, False)
credits(False, True, False)
credits(False, False, True)
