"""Names of pipes and of scopes."""

import tilelang.language as T


@T.prim_func
def pipe(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.set_flag("mte22", "v", 0)
            # ~^ error[TL106]: there is no pipe 'mte22': they are s, v, m, mte1, mte2, mte3, fix, al
            T.wait_flag("mte22", "v", 0)
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, B[0, 0])


@T.prim_func
def barrier(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.pipe_barrier("vec")
            # ~^ error[TL106]: there is no pipe 'vec': they are s, v, m, mte1, mte2, mte3, fix, all
            T.barrier_all()
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, B[0, 0])


@T.prim_func
def scope(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        with T.Scope("Vector"):
        # ~^ error[TL106]: a scope is "C" (cube) or "V" (vector), not 'Vector'
            T.copy(A[0, 0], a)
            T.barrier_all()
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, B[0, 0])
