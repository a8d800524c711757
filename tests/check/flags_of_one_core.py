"""Code that only the second vector core, or only some blocks run, is executed as well."""

import tilelang.language as T

FP = "float32"


@T.prim_func
def otherwise(X: T.Tensor((512, 128), FP), Y: T.Tensor((512, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 128), FP)
        with T.Scope("V"):
            if vid == 0:
                T.copy(X[0, 0], x)
                T.barrier_all()
                T.tile.exp(x, x)
                T.barrier_all()
                T.copy(x, Y[0, 0])
            else:
                T.copy(X[64, 0], x)
                T.tile.exp(x, x)  # ~ error[TL406]: x: V reads it here, MTE2 writes it in T.copy
                T.barrier_all()
                T.copy(x, Y[64, 0])


@T.prim_func
def second_core(X: T.Tensor((512, 128), FP), Y: T.Tensor((512, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 128), FP)
        with T.Scope("V"):
            if vid > 0:
                T.copy(X[64, 0], x)
                T.wait_flag("mte2", "v", 0)  # ~ error[TL404]: MTE2->V id 0: nobody sets the flag that is waited for here
                T.tile.exp(x, x)
                T.barrier_all()
                T.copy(x, Y[64, 0])


@T.prim_func
def last_block(X: T.Tensor((512, 128), FP), Y: T.Tensor((512, 128), FP)):
    with T.Kernel(96, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 128), FP)
        with T.Scope("V"):
            if cid == 95:
                T.copy(X[64, 0], x)
                T.tile.exp(x, x)  # ~ error[TL406]: x: V reads it here, MTE2 writes it in T.copy
                T.barrier_all()
                T.copy(x, Y[64, 0])


@T.prim_func
def odd_blocks(X: T.Tensor((512, 128), FP), Y: T.Tensor((512, 128), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 128), FP)
        half = cid % 2
        with T.Scope("V"):
            T.copy(X[64, 0], x)
            T.barrier_all()
            T.tile.exp(x, x)
            T.set_flag("v", "mte3", 0)
            T.wait_flag("v", "mte3", 0)
            if half == 1:
                T.set_flag("v", "mte3", 1)  # ~ error[TL404]: V->MTE3 id 1 is set here, and nobody waits for it
            T.copy(x, Y[64, 0])


@T.prim_func
def fewer_turns(X: T.Tensor((512, 128), FP), Y: T.Tensor((512, 128), FP)):
    """The first block does one round; those behind it do more, and hand nothing on."""
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 128), FP)
        with T.Scope("V"):
            for i in T.serial(cid + 1):
                T.copy(X[i * 32, 0], x)  # ~ error[TL406]: x: MTE2 writes it here, MTE3 reads it in T.copy of an earlier iteration
                T.set_flag("mte2", "v", 0)
                T.wait_flag("mte2", "v", 0)
                T.tile.exp(x, x)
                T.set_flag("v", "mte3", 0)
                T.wait_flag("v", "mte3", 0)
                T.copy(x, Y[i * 32, 0])


@T.prim_func
def id_of_a_block(X: T.Tensor((512, 128), FP), Y: T.Tensor((512, 128), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 128), FP)
        with T.Scope("V"):
            T.copy(X[64, 0], x)
            T.set_flag("mte2", "v", cid % 2)  # ~ error[TL404]: MTE2->V id 1 is set here, and nobody waits for it; id 0 is waited for
            T.wait_flag("mte2", "v", 0)
            T.tile.exp(x, x)
            T.barrier_all()
            T.copy(x, Y[64, 0])


@T.prim_func
def by_a_scalar(X: T.Tensor((512, 128), FP), Y: T.Tensor((512, 128), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 128), FP)
        me = T.alloc_var("int32")
        with T.Scope("V"):
            me = vid
            if me == 1:
                T.copy(X[64, 0], x)
                T.tile.exp(x, x)  # ~ error[TL406]: x: V reads it here, MTE2 writes it in T.copy
                T.barrier_all()
                T.copy(x, Y[64, 0])


@T.prim_func
def all_the_same(X: T.Tensor((512, 128), FP), Y: T.Tensor((512, 128), FP)):
    """One flag is missing, whoever runs it."""
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 128), FP)
        with T.Scope("V"):
            if vid == 0:
                T.copy(X[0, 0], x)
            else:
                T.copy(X[64, 0], x)
            T.tile.exp(x, x)  # ~ error[TL406]: x: V reads it here, MTE2 writes it in T.copy
            T.barrier_all()
            if cid > 0:
                T.copy(x, Y[64, 0])


@T.prim_func
def right(X: T.Tensor((512, 128), FP), Y: T.Tensor((512, 128), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 128), FP)
        with T.Scope("V"):
            if cid % 2 == 1:
                T.copy(X[64, 0], x)
                T.set_flag("mte2", "v", 0)
            if cid % 2 == 1:
                T.wait_flag("mte2", "v", 0)
                T.tile.exp(x, x)
                T.barrier_all()
                T.copy(x, Y[64, 0])


@T.prim_func
def beside_cross_flags(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), FP), W: T.Tensor((64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), FP)
        d = T.alloc_ub((32, 64), FP)
        with T.Scope("C"):
            T.copy(A, a)
            T.gemm_v0(a, a, c, init=True)
            T.copy(c, W)
            T.set_cross_flag("FIX", 0)
        with T.Scope("V"):
            T.wait_cross_flag(0)
            T.copy(W[vid * 32, 0], d)
            T.barrier_all()
            if vid == 1:
                T.tile.abs(d, d)
                T.wait_flag("v", "mte3", 1)  # ~ error[TL404]: V->MTE3 id 1: nobody sets the flag that is waited for here
            T.copy(d, B[vid * 32, 0])


@T.prim_func
def blocks_between_cores(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), FP), W: T.Tensor((64, 64), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), FP)
        d = T.alloc_ub((32, 64), FP)
        with T.Scope("C"):
            T.copy(A, a)
            T.gemm_v0(a, a, c, init=True)
            T.copy(c, W)
            if cid < 3:
                T.set_cross_flag("FIX", 0)
        with T.Scope("V"):
            T.wait_cross_flag(0)  # ~ error[TL405]: flag 0: 1 wait, but only 0 sets on the other side in block 3
            T.copy(W[vid * 32, 0], d)
            T.barrier_all()
            T.copy(d, B[vid * 32, 0])


@T.prim_func
def late_turn(X: T.Tensor((512, 128), FP), Y: T.Tensor((512, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 128), FP)
        with T.Scope("V"):
            for i in T.serial(8):
                if i > 0:
                    if vid == 1:
                        T.copy(X[64, 0], x)
                        T.tile.exp(x, x)  # ~ error[TL406]: x: V reads it here, MTE2 writes it in T.copy
                        T.barrier_all()
                        T.copy(x, Y[64, 0])
                        T.barrier_all()
