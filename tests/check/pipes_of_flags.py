"""Flags lead between some of the pipes, and those between the cores are set by some of them."""

import tilelang.language as T

FP = "float16"


@T.prim_func
def main(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), FP)
        with T.Scope("V"):
            T.copy(A, a)
            T.set_flag("mte2", "mte2", 0)  # ~ error[TL106]: the hardware has no flag from MTE2 to MTE2
            T.wait_flag("mte2", "mte2", 0)
            T.set_flag("all", "v", 0)  # ~ error[TL106]: no flag from ALL to V
            T.wait_flag("all", "v", 0)
            T.barrier_all()
            T.copy(a, B)


@T.prim_func
def between(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), FP)
        with T.Scope("C"):
            T.set_cross_flag("S", 0)
#                            ^^^ error[TL401]: S cannot set a flag between the cores: V, M, MTE1, MTE2, MTE3 and FIX
            T.set_cross_flag("FIX", 1, 5)  # ~ error[TL401]: no mode 5 on A3: they are 0, 1, 2
            T.set_cross_flag("MTE2", 2)
        with T.Scope("V"):
            T.wait_cross_flag(0)
            T.wait_cross_flag(1)
            T.wait_cross_flag(2)
            T.copy(A, a)
            T.barrier_all()
            T.copy(a, B)


@T.prim_func
def of_the_other_half(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), FP)
        b = T.alloc_L1((64, 64), FP)
        with T.Scope("C"):
            T.copy(A, b)
            T.set_flag("v", "mte2", 1)  # ~ error[TL106]: V is a pipe of the vector cores: in T.Scope("C") there is no flag from V to MTE2
            T.wait_flag("v", "mte2", 1)
        with T.Scope("V"):
            T.copy(A, a)
            T.set_flag("m", "v", 0)  # ~ error[TL106]: M is a pipe of the cube core: in T.Scope("V") there is no flag from M to V
            T.wait_flag("m", "v", 0)
            T.tile.exp(a, a)
            T.set_flag("v", "mte3", 0)
            T.wait_flag("v", "mte3", 0)
            T.copy(a, B)


@T.prim_func
def without_a_partner(A: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
    """What lacks for a flag that does not exist is not told."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), FP)
        with T.Scope("V"):
            T.copy(A, a)
            T.set_flag("mte2", "v", 0)
            T.wait_flag("mte3", "mte3", 0)  # ~ error[TL106]: the hardware has no flag from MTE3 to MTE3
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, B)
