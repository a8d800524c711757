"""A turn too many leaves flags without their other half, and an index out of range: one fault, told at the
index."""
#@ kernels: 4

import tilelang.language as T


@T.prim_func
def loop_too_long(A: T.Tensor((4, 64), "float32"), C: T.Tensor((4, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((4, 64), "float32")
        with T.Scope("V"):
            for i in T.serial(4):
                T.copy(A[i, 0], x[i, :])
                T.set_flag("mte2", "mte3", i)
            for i in T.serial(5):
                T.wait_flag("mte2", "mte3", i)
                # ~v error[TL308]: x[i, :] reaches 4
                T.copy(x[i, :], C[i, 0])


@T.prim_func
def loop_too_long_for_the_other_core(
    A: T.Tensor((64, 64), "float16"),
    B: T.Tensor((64, 64), "float16"),
    W: T.Tensor((4, 64, 64), "float32"),
    C: T.Tensor((4, 64, 64), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        x = T.alloc_ub((4, 32, 64), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], a)
            T.copy(B[0, 0], b)
            for i in T.serial(4):
                T.barrier_all()
                T.gemm_v0(a, b, c, init=True)
                T.barrier_all()
                T.copy(c, W[i, 0, 0])
                T.set_cross_flag("FIX", 0)
        with T.Scope("V"):
            for i in T.serial(5):
                T.wait_cross_flag(0)
                T.copy(W[i, vid * 32, 0], x[i, :, :])  # ~ error[TL308]: W[i, vid * 32:vid * 32 + 32, :] reaches 4
                T.barrier_all()
                T.copy(x[i, :, :], C[i, vid * 32, 0])


@T.prim_func
def begun_too_early(A: T.Tensor((4, 64), "float32"), C: T.Tensor((4, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((4, 64), "float32")
        with T.Scope("V"):
            for i in T.serial(5):
                if i < 4:
                    T.copy(A[i, 0], x[i, :])
                    T.set_flag("mte2", "v", i)
                if i >= 0:
                    T.wait_flag("mte2", "v", i - 1)  # ~ info[TL402]: event id -1
                    T.tile.exp(x[i - 1, :], x[i - 1, :])  # ~ error[TL308]: x[i - 1, :] reaches -1
            T.barrier_all()
            T.copy(x, C[0, 0])


@T.prim_func
def two_faults(A: T.Tensor((4, 64), "float32"), C: T.Tensor((4, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((4, 64), "float32")
        with T.Scope("V"):
            for i in T.serial(4):
                T.copy(A[i, 0], x[i + 1, :])  # ~ error[TL308]: x[i + 1, :] reaches 4
                T.set_flag("mte2", "mte3", i)
            for i in T.serial(4):
                T.wait_flag("mte2", "mte3", i)
                T.copy(x[i, :], C[i, 0])
            T.wait_flag("mte2", "mte3", 0)  # ~ error[TL404]: more often than it is set
