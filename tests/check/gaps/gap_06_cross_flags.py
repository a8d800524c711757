"""Flags between the cores: without a partner, beyond the ids, by the wrong side or pipe."""

import tilelang.language as T


@T.prim_func
def unmatched(
    A: T.Tensor((64, 128), "float16"),
    B: T.Tensor((128, 64), "float16"),
    C: T.Tensor((64, 64), "float32"),
    W: T.Tensor((64, 64), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        u = T.alloc_ub((32, 64), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.gemm_v0(x, y, c, init=True)
            T.barrier_all()
            T.copy(c, W[0, 0])
            T.set_cross_flag("FIX", 0)
        with T.Scope("V"):
            T.wait_cross_flag(1)
            # ~^ error[TL405]: flag 1: 1 wait, but only 0 sets on the other side: this core waits fo
            T.copy(W[vid * 32, 0], u)
            T.barrier_all()
            T.tile.exp(u, u)
            T.barrier_all()
            T.copy(u, C[vid * 32, 0])


@T.prim_func
def range(
    A: T.Tensor((64, 128), "float16"),
    B: T.Tensor((128, 64), "float16"),
    C: T.Tensor((64, 64), "float32"),
    W: T.Tensor((64, 64), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        u = T.alloc_ub((32, 64), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.gemm_v0(x, y, c, init=True)
            T.barrier_all()
            T.copy(c, W[0, 0])
            T.set_cross_flag("FIX", 16)
            # ~^ error[TL401]: there is no flag 16 between the cores: ids are 0..15
        with T.Scope("V"):
            T.wait_cross_flag(16)
            T.copy(W[vid * 32, 0], u)
            T.barrier_all()
            T.tile.exp(u, u)
            T.barrier_all()
            T.copy(u, C[vid * 32, 0])


@T.prim_func
def side(
    A: T.Tensor((64, 128), "float16"),
    B: T.Tensor((128, 64), "float16"),
    C: T.Tensor((64, 64), "float32"),
    W: T.Tensor((64, 64), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        u = T.alloc_ub((32, 64), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.gemm_v0(x, y, c, init=True)
            T.barrier_all()
            T.copy(c, W[0, 0])
            T.set_cross_flag("FIX", 0)
            T.wait_cross_flag(0)
            # ~^ error[TL405]: flag 0: 1 wait, but only 0 sets on the other side: this core waits fo
        with T.Scope("V"):
            pass
            T.copy(W[vid * 32, 0], u)
            T.barrier_all()
            T.tile.exp(u, u)
            T.barrier_all()
            T.copy(u, C[vid * 32, 0])


@T.prim_func
def pipe(
    A: T.Tensor((64, 128), "float16"),
    B: T.Tensor((128, 64), "float16"),
    C: T.Tensor((64, 64), "float32"),
    W: T.Tensor((64, 64), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        u = T.alloc_ub((32, 64), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.gemm_v0(x, y, c, init=True)
            T.barrier_all()
            T.copy(c, W[0, 0])
            T.set_cross_flag("S", 0)
            # ~^ error[TL401]: S cannot set a flag between the cores: V, M, MTE1, MTE2, MTE3 and FIX
        with T.Scope("V"):
            T.wait_cross_flag(0)
            T.copy(W[vid * 32, 0], u)
            T.barrier_all()
            T.tile.exp(u, u)
            T.barrier_all()
            T.copy(u, C[vid * 32, 0])
