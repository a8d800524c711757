"""Flags that are set on one way through a condition on data, and waited for on either."""
#@ kernels: 4

import tilelang.language as T


def within(both):
    @T.prim_func
    def main(L: T.Tensor((8,), "int32"), A: T.Tensor((8, 64), "float32"), C: T.Tensor((8, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            x = T.alloc_ub((1, 64), "float32")
            with T.Scope("V"):
                for j in T.serial(8):
                    if L[j] > 0:
                        T.copy(A[j, 0], x)
                        if both:
                            T.set_flag("mte2", "v", 0)
                        else:
                            # ~v warning[TL404]: set on one way through `if L[j] > 0` only
                            T.set_flag("mte2", "v", 1)
                    else:
                        T.copy(A[0, 0], x)
                        if both:
                            T.set_flag("mte2", "v", 0)
                    if both:
                        T.wait_flag("mte2", "v", 0)
                    else:
                        T.wait_flag("mte2", "v", 1)
                    T.tile.exp(x, x)
                    T.barrier_all()
                    T.copy(x, C[j, 0])
                    T.barrier_all()

    return main


within(False)
within(True)


def across(always):
    @T.prim_func
    def main(L: T.Tensor((8,), "int32"), A: T.Tensor((64, 64), "float16"), W: T.Tensor((8, 64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            x = T.alloc_ub((32, 64), "float32")
            with T.Scope("C"):
                T.copy(A[0, 0], a)
                for j in T.serial(8):
                    T.barrier_all()
                    T.gemm_v0(a, a, c, init=True)
                    T.barrier_all()
                    T.copy(c, W[j, 0, 0])
                    if L[j] > 0:
                        # ~v warning[TL405]: flag 0 is set on one way through `if L[j] > 0` only
                        T.set_cross_flag("FIX", 0)
            with T.Scope("V"):
                for j in T.serial(8):
                    if always:
                        T.wait_cross_flag(0)
                        T.copy(W[j, vid * 32, 0], x)
                    else:
                        if L[j] > 0:
                            T.wait_cross_flag(0)
                            T.copy(W[j, vid * 32, 0], x)
                    T.barrier_all()

    return main


across(True)
across(False)
