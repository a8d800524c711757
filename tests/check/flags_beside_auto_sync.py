"""Flags by hand beside those that the compiler sets: each needs its other half as well."""

import tilelang
import tilelang.language as T

FP = "float32"
AUTO = {"tl.ascend_auto_sync": True}


@tilelang.jit(out_idx=[1], pass_configs=AUTO)
def never_set(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), FP), B: T.Tensor((n, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 64), FP)
            with T.Scope("V"):
                T.copy(A[0, 0], a)
                T.wait_flag("mte3", "v", 3)  # ~ error[TL404]: MTE3->V id 3: nobody sets the flag that is waited for here
                T.tile.exp(a, a)
                T.copy(a, B[0, 0])

    return main


@tilelang.jit(out_idx=[1], pass_configs=AUTO)
def never_waited_for(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), FP), B: T.Tensor((n, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 64), FP)
            with T.Scope("V"):
                T.copy(A[0, 0], a)
                T.set_flag("mte2", "v", 0)  # ~ error[TL404]: MTE2->V id 0 is set here, and nobody waits for it
                T.tile.exp(a, a)
                T.copy(a, B[0, 0])

    return main


@tilelang.jit(out_idx=[1], pass_configs=AUTO)
def not_primed(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), FP), B: T.Tensor((n, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 64), FP)
            with T.Scope("V"):
                for i in T.serial(n):
                    T.wait_flag("v", "mte2", 2)  # ~ error[TL404]: V->MTE2 id 2: the wait comes before its set
                    T.copy(A[i, 0], a)
                    T.tile.exp(a, a)
                    T.set_flag("v", "mte2", 2)
                    T.copy(a, B[i, 0])

    return main


@tilelang.jit(out_idx=[1], pass_configs=AUTO)
def set_twice(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), FP), B: T.Tensor((n, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 64), FP)
            with T.Scope("V"):
                T.copy(A[0, 0], a)
                T.set_flag("mte2", "v", 0)
                T.set_flag("mte2", "v", 0)  # ~ error[TL404]: MTE2->V id 0 is set again before anybody has waited for it
                T.wait_flag("mte2", "v", 0)
                T.wait_flag("mte2", "v", 0)
                T.tile.exp(a, a)
                T.copy(a, B[0, 0])

    return main


@tilelang.jit(out_idx=[1], pass_configs=AUTO)
def right(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), FP), B: T.Tensor((n, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 64), FP)
            with T.Scope("V"):
                T.set_flag("v", "mte2", 2)
                for i in T.serial(n):
                    T.wait_flag("v", "mte2", 2)
                    T.copy(A[i, 0], a)
                    T.tile.exp(a, a)
                    T.set_flag("v", "mte2", 2)
                    T.copy(a, B[i, 0])
                T.wait_flag("v", "mte2", 2)

    return main


never_set(16)
never_waited_for(16)
not_primed(16)
set_twice(16)
right(16)
