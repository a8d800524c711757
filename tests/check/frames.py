"""T.Kernel and T.Scope in forms that the NPU does not have."""
#@ skipped: no T.Kernel

import tilelang.language as T


@T.prim_func
def grid(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, 4, is_npu=True) as (bx, by):  # ~ error[TL106]: exactly one block extent, not 2
        a = T.alloc_ub((64, 64), "float32")
        T.copy(A, a)


@T.prim_func
def threads(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, threads=128, is_npu=True) as bx:  # ~ error[TL106]: threads must be 1 or 2
        a = T.alloc_ub((64, 64), "float32")
        T.copy(A, a)


@T.prim_func
def scope(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        with T.Scope("vector"):  # ~ error[TL106]: "C" (cube) or "V" (vector)
            T.copy(A, a)


@T.prim_func
def one_thread(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, threads=1, is_npu=True) as cid:  # ~ hint cid: 0..3
        a = T.alloc_ub((64, 64), "float32")
        T.tile.fill(a, 0.0)
        T.barrier_all()
        T.copy(a, A)


@T.prim_func
def no_frame(A: T.Tensor((64, 64), "float32")):
    a = T.alloc_ub((64, 64), "float32")
    T.copy(A, a)
