"""Loops whose length a symbolic dimension decides: they are executed with sizes with which they go around
often enough to show what one iteration leaves for the next."""

import tilelang.language as T

FP = "float32"
M = T.symbolic("M")


@T.prim_func
def in_turns(X: T.Tensor((M, 256), FP), Y: T.Tensor((M, 256), FP)):
    """Blocks share the rows: 3840 make each of them go around a second time."""
    with T.Kernel(24, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 16, 256), FP)
        w = cid * 2 + vid
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 0)
            T.set_flag("mte3", "mte2", 1)
            for i in T.serial((T.ceildiv(M, 16) - w + 47) // 48):
                t = w + i * 48
                s = i % 2
                T.wait_flag("mte3", "mte2", s)
                T.copy(X[t * 16, 0], x[s, :, :])
                T.set_flag("mte2", "mte3", s)
                T.wait_flag("mte2", "mte3", s)
                T.copy(x[s, :, :], Y[t * 16, 0])
                T.set_flag("mte3", "mte2", s)
            T.wait_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 1)


@T.prim_func
def set_early(X: T.Tensor((M, 256), FP), Y: T.Tensor((M, 256), FP)):
    with T.Kernel(24, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 16, 256), FP)
        w = cid * 2 + vid
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 0)
            T.set_flag("mte3", "mte2", 1)
            for i in T.serial((T.ceildiv(M, 16) - w + 47) // 48):
                t = w + i * 48
                s = i % 2
                T.wait_flag("mte3", "mte2", s)
                T.copy(X[t * 16, 0], x[s, :, :])  # ~ error[TL406]: x: MTE2 writes it here, MTE3 reads it in T.copy of an earlier iteration
                T.set_flag("mte2", "mte3", s)
                T.wait_flag("mte2", "mte3", s)
                T.set_flag("mte3", "mte2", s)
                T.copy(x[s, :, :], Y[t * 16, 0])
            T.wait_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 1)


@T.prim_func
def nothing_leads_back(X: T.Tensor((M, 64), FP), Y: T.Tensor((M, 64), FP)):
    with T.Kernel(24, is_npu=True) as (cid, vid):
        h = T.alloc_ub((32, 64), FP)
        with T.Scope("V"):
            for i in T.serial(T.ceildiv(M, 64 * 24)):
                T.copy(X[(i * 24 + cid) * 64 + vid * 32, 0], h)  # ~ error[TL406]: h: MTE2 writes it here, MTE3 reads it in T.copy of an earlier iteration
                T.set_flag("mte2", "mte3", 1)
                T.wait_flag("mte2", "mte3", 1)
                T.copy(h, Y[(i * 24 + cid) * 64 + vid * 32, 0])


@T.prim_func
def one_slot_unprimed(X: T.Tensor((M, 256), FP), Y: T.Tensor((M, 256), FP)):
    """It stops in the second round; where there is only one, behind the loop."""
    with T.Kernel(24, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 16, 256), FP)
        w = cid * 2 + vid
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 0)
            for i in T.serial((T.ceildiv(M, 16) - w + 47) // 48):
                t = w + i * 48
                s = i % 2
                T.wait_flag("mte3", "mte2", s)  # ~ error[TL404]: MTE3->MTE2 id 1: the wait comes before its set, so MTE2 stands still
                T.copy(X[t * 16, 0], x[s, :, :])
                T.set_flag("mte2", "mte3", s)
                T.wait_flag("mte2", "mte3", s)
                T.copy(x[s, :, :], Y[t * 16, 0])
                T.set_flag("mte3", "mte2", s)
            T.wait_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 1)
