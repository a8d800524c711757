"""Halves of flags: sets that nobody waits for, waits that nobody ends, two sets in a row."""

import tilelang.language as T

FP = "float32"


@T.prim_func
def never_set(A: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            for i in T.serial(64):
                T.copy(A[i, :], a)
                T.wait_flag("mte2", "v", 1)  # ~ error[TL404]: MTE2->V id 1: nobody sets the flag that is waited for
                T.tile.exp(a, a)
                T.barrier_all()


@T.prim_func
def other_id(A: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            T.copy(A[0, :], a)
            T.set_flag("mte2", "v", 2)  # ~ error[TL404]: MTE2->V id 2 is set here, and nobody waits for it; id 1 is waited for
            T.wait_flag("mte2", "v", 1)
            T.tile.exp(a, a)


@T.prim_func
def never_waited_for(A: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            T.copy(A[0, :], a)
            T.set_flag("mte2", "v", 1)
            T.wait_flag("mte2", "v", 1)
            T.tile.exp(a, a)
            T.set_flag("v", "mte2", 1)  # ~ error[TL404]: V->MTE2 id 1 is set here, and nobody waits for it


@T.prim_func
def forgotten_wait(A: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            T.copy(A[0, :], a)
            T.set_flag("mte2", "v", 1)
            T.tile.exp(a, a)  # ~ error[TL406]: a: V reads it here, MTE2 writes it in T.copy


@T.prim_func
def twice(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        b = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            T.copy(A[0, :], a)
            T.set_flag("mte2", "v", 1)
            T.copy(B[0, :], b)
            T.set_flag("mte2", "v", 1)  # ~ error[TL404]: MTE2->V id 1 is set again before anybody has waited
            T.wait_flag("mte2", "v", 1)
            T.wait_flag("mte2", "v", 1)
            T.tile.add(a, a, b)


@T.prim_func
def unknown_ways(A: T.Tensor((64, 128), FP), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            T.set_flag("v", "mte2", 1)
            if n > 0:
                T.wait_flag("v", "mte2", 1)
                T.copy(A[0, :], a)
                T.set_flag("v", "mte2", 1)
            T.wait_flag("v", "mte2", 1)
            if n == 5:
                T.set_flag("v", "mte2", 2)
            if n - 5 == 0:
                T.wait_flag("v", "mte2", 2)
            for i in T.serial(n):
                T.copy(A[i, :], a)
                T.set_flag("mte2", "mte3", 3)
                T.wait_flag("mte2", "v", 3)  # ~ error[TL404]: MTE2->V id 3: nobody sets


@T.prim_func
def as_the_length_says(A: T.Tensor((64, 128), FP), n: T.int32):
    # Whose set of id 1 is left over depends on n; that one is, does not.
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 128), FP)
        with T.Scope("V"):
            T.set_flag("v", "mte2", 0)
            T.set_flag("v", "mte2", 1)
            for i in T.serial(n):
                T.wait_flag("v", "mte2", i % 2)
                T.copy(A[i, :], a[i % 2, :])
                T.set_flag("mte2", "v", i % 2)
                T.wait_flag("mte2", "v", i % 2)
                T.tile.exp(a[i % 2, :], a[i % 2, :])
                T.set_flag("v", "mte2", i % 2)  # ~ error[TL404]: V->MTE2 id 1 is set here, and nobody waits for it
            T.wait_flag("v", "mte2", 0)


@T.prim_func
def behind_another_wait(A: T.Tensor((64, 128), FP), n: T.int32):
    # With n = 0 the pipe stands still before it comes to the wait that nobody ends: these are two faults.
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            if n > 0:
                T.set_flag("v", "mte2", 0)
            T.wait_flag("v", "mte2", 0)  # ~ error[TL404]: V->MTE2 id 0: nobody sets the flag that is waited for
            T.wait_flag("v", "mte2", 4)  # ~ error[TL404]: V->MTE2 id 4: nobody sets the flag that is waited for
            T.copy(A[0, :], a)
