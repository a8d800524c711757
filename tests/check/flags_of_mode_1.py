"""Flags that the two vector cores of a block set together, and wait for themselves."""

import tilelang.language as T

FP = "float32"


@T.prim_func
def halves(A: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP), W: T.Tensor((128, 64), FP)):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        b = T.alloc_ub((8, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 16 + vid * 8, 0], a)
            T.barrier_all()
            T.copy(a, W[cid * 16 + vid * 8, 0])
            T.set_cross_flag("MTE3", 5, 1)
            T.wait_cross_flag(5)
            T.copy(W[cid * 16 + (1 - vid) * 8, 0], b)
            T.barrier_all()
            T.copy(b, C[cid * 16 + vid * 8, 0])


@T.prim_func
def another_flag(
    A: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP), W: T.Tensor((128, 64), FP)
):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        b = T.alloc_ub((8, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 16 + vid * 8, 0], a)
            T.barrier_all()
            T.copy(a, W[cid * 16 + vid * 8, 0])
            T.set_cross_flag("MTE3", 5, 1)
            T.wait_cross_flag(6)  # ~ error[TL405]: flag 6: 1 wait, but only 0 sets of both vector cores: this core waits for ever
            T.copy(W[cid * 16 + (1 - vid) * 8, 0], b)
            T.barrier_all()
            T.copy(b, C[cid * 16 + vid * 8, 0])


@T.prim_func
def of_one_core(A: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP)):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 16 + vid * 8, 0], a)
            T.barrier_all()
            T.copy(a, C[cid * 16 + vid * 8, 0])
            if vid == 0:
                T.set_cross_flag("MTE3", 5, 1)
            T.wait_cross_flag(5)  # ~ error[TL405]: flag 5: 1 wait, but only 0 sets of both vector cores: this core waits for ever


@T.prim_func
def before_it_is_set(A: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP)):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 16 + vid * 8, 0], a)
            T.wait_cross_flag(5)  # ~ error[TL405]: flag 5: both vector cores wait here, each before it sets the flag: they stand still for ever
            T.barrier_all()
            T.copy(a, C[cid * 16 + vid * 8, 0])
            T.set_cross_flag("MTE3", 5, 1)


@T.prim_func
def never_waited_for(A: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP)):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 16 + vid * 8, 0], a)
            T.barrier_all()
            T.copy(a, C[cid * 16 + vid * 8, 0])
            T.set_cross_flag("MTE3", 5, 1)  # ~ warning[TL405]: flag 5: 1 set, but no wait of both vector cores: it is still set at the end of the kernel


@T.prim_func
def without_a_wait(
    A: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP), W: T.Tensor((128, 64), FP)
):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        b = T.alloc_ub((8, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 16 + vid * 8, 0], a)
            T.barrier_all()
            T.copy(a, W[cid * 16 + vid * 8, 0])
            T.set_cross_flag("MTE3", 5, 1)
            T.copy(W[cid * 16 + (1 - vid) * 8, 0], b)  # ~ error[TL407]: W: MTE2 of a vector core reads it here, MTE3 of the other vector core writes it in T.copy
            T.barrier_all()
            T.copy(b, C[cid * 16 + vid * 8, 0])


@T.prim_func
def of_another_pipe(
    A: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP), W: T.Tensor((128, 64), FP)
):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        b = T.alloc_ub((8, 64), FP)
        with T.Scope("V"):
            T.copy(A[cid * 16 + vid * 8, 0], a)
            T.barrier_all()
            T.copy(a, W[cid * 16 + vid * 8, 0])
            T.set_cross_flag("MTE2", 5, 1)
            T.wait_cross_flag(5)
            T.copy(W[cid * 16 + (1 - vid) * 8, 0], b)  # ~ error[TL407]: and nothing makes MTE2 wait
            T.barrier_all()
            T.copy(b, C[cid * 16 + vid * 8, 0])


@T.prim_func
def both_write_the_same(
    A: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP), W: T.Tensor((8, 64), FP)
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        b = T.alloc_ub((8, 64), FP)
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.barrier_all()
            T.copy(a, W[0, 0])
            T.barrier_all()
            T.copy(W[0, 0], b)
            T.barrier_all()
            T.copy(b, C[vid * 8, 0])
            T.set_cross_flag("MTE3", 5, 1)
            T.wait_cross_flag(5)


@T.prim_func
def of_both_cores(A: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP)):
    """Which of them a wait counts is not said."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), FP)
        with T.Scope("C"):
            T.set_cross_flag("FIX", 5)
        with T.Scope("V"):
            T.copy(A[vid * 8, 0], a)
            T.barrier_all()
            T.copy(a, C[vid * 8, 0])
            T.set_cross_flag("MTE3", 5, 1)
            T.wait_cross_flag(5)
            T.wait_cross_flag(5)


@T.prim_func
def for_cube_cores_alone(
    A: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP), W: T.Tensor((128, 64), FP)
):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32, 64), FP)
        with T.Scope("C"):
            T.set_cross_flag("FIX", 3, 0)
        with T.Scope("V"):
            T.wait_cross_flag(3)  # ~ error[TL405]: flag 3: 1 wait, but only 0 sets on the other side: this core waits for ever
            T.copy(A[cid * 64 + vid * 32, 0], a)
            T.barrier_all()
            T.copy(a, C[cid * 64 + vid * 32, 0])


@T.prim_func
def for_vector_cores_alone(A: T.Tensor((128, 64), FP), C: T.Tensor((128, 64), FP)):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32, 64), FP)
        with T.Scope("C"):
            T.wait_cross_flag(3)  # ~ error[TL405]: flag 3: 1 wait, but only 0 sets on the other side: this core waits for ever
        with T.Scope("V"):
            T.copy(A[cid * 64 + vid * 32, 0], a)
            T.barrier_all()
            T.copy(a, C[cid * 64 + vid * 32, 0])
            T.set_cross_flag("MTE3", 3, 1)


@T.prim_func
def cube_cores_meet(A: T.Tensor((128, 64), "float16"), C: T.Tensor((128, 64), FP)):
    """Each tells all of them, itself among them."""
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        u = T.alloc_ub((32, 64), FP)
        with T.Scope("C"):
            T.copy(A[cid * 64, 0], a)
            T.set_cross_flag("MTE2", 3, 0)
            T.wait_cross_flag(3)
            T.set_cross_flag("MTE2", 4)
        with T.Scope("V"):
            T.wait_cross_flag(4)
            T.tile.fill(u, 0.0)
            T.barrier_all()
            T.copy(u, C[cid * 64 + vid * 32, 0])


@T.prim_func
def cube_cores_meet_and_go_on(A: T.Tensor((128, 64), "float16"), C: T.Tensor((128, 64), FP)):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        u = T.alloc_ub((32, 64), FP)
        with T.Scope("C"):
            T.copy(A[cid * 64, 0], a)
            T.set_cross_flag("MTE2", 3, 0)
            T.wait_cross_flag(3)
        with T.Scope("V"):
            T.wait_cross_flag(4)  # ~ error[TL405]: flag 4: 1 wait, but only 0 sets on the other side
            T.tile.fill(u, 0.0)
            T.barrier_all()
            T.copy(u, C[cid * 64 + vid * 32, 0])
