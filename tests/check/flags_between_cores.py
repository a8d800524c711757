"""Sets and waits between the cores, counted; what only the device knows is not judged."""

import tilelang.language as T


@T.prim_func
def unequal(A: T.Tensor((64, 64), "float16"), n: T.int32):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        for t in T.serial(3):
            with T.Scope("C"):
                T.copy(A, a)
                T.set_cross_flag("FIX", 0)
                T.set_cross_flag("FIX", 1)
                for i in T.serial(4):
                    if i % 2 == 0:
                        T.set_cross_flag("FIX", 4 + i % 2)
                T.wait_cross_flag(2)  # ~ error[TL405]: flag 2: 3 waits, but only 0 sets on vector core 1
                T.wait_cross_flag(3)
                for i in T.serial(n):
                    T.barrier_all()
            with T.Scope("V"):
                T.wait_cross_flag(0)
                T.wait_cross_flag(1)
                T.wait_cross_flag(1)  # ~ error[TL405]: flag 1: 6 waits, but only 3 sets on the other side
                T.wait_cross_flag(4)
                T.wait_cross_flag(4)
                if vid == 0:
                    T.set_cross_flag("MTE3", 2)
                T.set_cross_flag("MTE3", 3)


@T.prim_func
def known_on_the_device(A: T.Tensor((64, 64), "float16"), n: T.int32):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        with T.Scope("C"):
            T.copy(A, a)
            for i in T.serial(n):
                T.set_cross_flag("FIX", 0)
        with T.Scope("V"):
            T.wait_cross_flag(0)
            T.wait_cross_flag(1)


@T.prim_func
def left_set(W: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_ub((32, 64), "float16")
        with T.Scope("C"):
            T.copy(B, a)
            for i in T.serial(4):
                T.wait_cross_flag(0)
                T.set_cross_flag("MTE2", 1)
        with T.Scope("V"):
            T.set_cross_flag("MTE3", 0)  # ~ warning[TL405]: flag 0: 5 sets, but 4 waits on the other side
            for i in T.serial(4):
                T.wait_cross_flag(1)
                T.barrier_all()
                T.copy(b, W[vid * 32, 0])
                T.barrier_all()
                T.set_cross_flag("MTE3", 0)
            T.set_cross_flag("MTE3", 2)  # ~ warning[TL405]: flag 2: 1 set, but no wait on the other side


@T.prim_func
def never_set(A: T.Tensor((64, 64), "float16"), W: T.Tensor((3, 64, 64), "float"), B: T.Tensor((64, 64), "float")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float")
        b = T.alloc_ub((32, 64), "float")
        with T.Scope("C"):
            T.copy(A, a)
            for t in T.serial(3):
                T.barrier_all()
                T.gemm_v0(a, a, c, init=True)
                T.barrier_all()
                T.copy(c, W[t, 0, 0])
        with T.Scope("V"):
            # One T.set_cross_flag("FIX", t) would do.
            T.wait_cross_flag(0)  # ~ error[TL405]: flag 0: 1 wait, but only 0 sets on the other side
            T.copy(W[0, vid * 32, 0], b)
            T.barrier_all()
            T.wait_cross_flag(1)
            T.copy(W[1, vid * 32, 0], b)
            T.barrier_all()
            T.wait_cross_flag(2)
            T.copy(W[2, vid * 32, 0], b)
            T.barrier_all()
            T.copy(b, B[vid * 32, 0])
