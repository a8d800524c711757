"""Parts of tiles whose length only the device knows: the first row is touched, if any is."""

import tilelang.language as T

F = "float16"


@T.prim_func
def never_waited_for(X: T.Tensor((1024, 128), F), L: T.Tensor((8,), "int32"), Y: T.Tensor((1024, 128), F)):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 128), F)
        o = T.alloc_ub((8,), "int32")
        with T.Scope("V"):
            T.copy(L, o)
            T.barrier_all()
            m = o[cid]
            T.copy(X[cid * 128 : cid * 128 + m, :], x[0:m, :])
            T.tile.exp(x, x)  # ~ error[TL406]: x: V reads it here, MTE2 writes it in T.copy, and nothing makes V wait
            T.barrier_all()
            T.copy(x[0:m, :], Y[cid * 128 : cid * 128 + m, :])


@T.prim_func
def stored_too_early(X: T.Tensor((1024, 128), F), L: T.Tensor((8,), "int32"), Y: T.Tensor((1024, 128), F)):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 128), F)
        o = T.alloc_ub((8,), "int32")
        with T.Scope("V"):
            T.copy(L, o)
            T.barrier_all()
            m = T.max(T.min(o[cid], 16), 0)
            T.copy(X[cid * 128 : cid * 128 + m, :], x[0:m, :])
            T.barrier_all()
            T.tile.exp(x, x)
            T.copy(x[0:m, :], Y[cid * 128 : cid * 128 + m, :])  # ~ error[TL406]: x: MTE3 reads it here, V writes it in T.tile.exp, and nothing makes MTE3 wait


@T.prim_func
def behind_the_first_row(
    X: T.Tensor((1024, 128), F), L: T.Tensor((8,), "int32"), Y: T.Tensor((1024, 128), F)
):
    """Whether the part goes so far, nobody knows."""
    with T.Kernel(8, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 128), F)
        o = T.alloc_ub((8,), "int32")
        with T.Scope("V"):
            T.copy(L, o)
            T.barrier_all()
            T.tile.fill(x, 0.0)
            m = o[cid]
            T.barrier_all()
            T.copy(X[cid * 128 : cid * 128 + m, :], x[0:m, :])
            T.tile.exp(x[8:16, :], x[8:16, :])
            T.barrier_all()
            T.copy(x, Y[cid * 128, 0])


@T.prim_func
def ordered(X: T.Tensor((1024, 128), F), L: T.Tensor((8,), "int32"), Y: T.Tensor((1024, 128), F)):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 128), F)
        o = T.alloc_ub((8,), "int32")
        with T.Scope("V"):
            T.copy(L, o)
            T.barrier_all()
            m = o[cid]
            T.copy(X[cid * 128 : cid * 128 + m, :], x[0:m, :])
            T.set_flag("mte2", "v", 2)
            T.wait_flag("mte2", "v", 2)
            T.tile.exp(x, x)
            T.set_flag("v", "mte3", 2)
            T.wait_flag("v", "mte3", 2)
            T.copy(x[0:m, :], Y[cid * 128 : cid * 128 + m, :])
