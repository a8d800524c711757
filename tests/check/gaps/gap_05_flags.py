"""Sets and waits of a flag that do not match, in branches too, and ids out of range."""

import tilelang.language as T


@T.prim_func
def set_only(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.set_flag("mte2", "v", 0)
            # ~^ error[TL404]: MTE2->V id 0 is set here, and nobody waits for it: it is still set wh
            T.barrier_all()
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, B[0, 0])


@T.prim_func
def wait_only(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.wait_flag("mte2", "v", 0)
            # ~^ error[TL404]: MTE2->V id 0: nobody sets the flag that is waited for here, so V stan
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, B[0, 0])


@T.prim_func
def branch(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        with T.Scope("V"):
            for i in T.serial(4):
                T.copy(A[i * 16, 0], a)
                if i < 3:
                    T.set_flag("mte2", "v", 0)
                T.wait_flag("mte2", "v", 0)
                # ~^ error[TL404]: MTE2->V id 0: this is waited for once more often than it is set,
                T.tile.exp(a, a)
                T.barrier_all()
                T.copy(a, B[i * 16, 0])
                T.barrier_all()


@T.prim_func
def id8(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.set_flag("mte2", "v", 8)
            # ~^ info[TL402]: event id 8: the documented ids of a pair of pipes are 0..7
            T.wait_flag("mte2", "v", 8)
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, B[0, 0])
