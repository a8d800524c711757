"""Every fault of a file is told, in kernels and between them."""
#@ kernels: 3

import tilelang
import tilelang.language as T

undefined_in_host_code = anything  # ~ error[TL103]: name 'anything' is not defined


@T.prim_func
def first(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        T.copy(A[0, 0, 0], a)  # ~ error[TL202]: 3 indices
        T.copy(A, b)  # ~ error[TL103]: name 'b' is not defined
        T.copy(A, a, padding=1)  # ~ error[TL104]: no argument 'padding'
        T.copy(A)  # ~ error[TL104]: misses the argument 'dst'


@T.prim_func
def second(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 32), "float32")
        T.copy(A, a)  # ~ error[TL202]: same shape


@T.prim_func
def third(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        T.tile.fill(a, 0.0)
        T.barrier_all()
        T.copy(a, A)
