"""A workspace that is written again before it was read."""

import tilelang.language as T


@T.prim_func
def war(
    A: T.Tensor((64, 128), "float16"),
    B: T.Tensor((128, 64), "float16"),
    C: T.Tensor((64, 256), "float32"),
    W: T.Tensor((64, 64), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        u = T.alloc_ub((32, 64), "float32")
        with T.Scope("C"):
            for i in T.serial(4):
                T.copy(A[0, 0], x)
                T.copy(B[0, 0], y)
                T.barrier_all()
                T.gemm_v0(x, y, c, init=True)
                T.barrier_all()
                T.copy(c, W[0, 0])
                # ~^ error[TL407]: W: FIX of the cube core writes it here, MTE2 of a vector core rea
                T.set_cross_flag("FIX", 0)
                T.barrier_all()
        with T.Scope("V"):
            for i in T.serial(4):
                T.wait_cross_flag(0)
                T.copy(W[vid * 32, 0], u)
                T.barrier_all()
                T.tile.exp(u, u)
                T.barrier_all()
                T.copy(u, C[vid * 32, i * 64])
                T.barrier_all()
