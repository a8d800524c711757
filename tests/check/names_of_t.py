"""Names that T does not have are told where they stand, with the nearest one; names that come from
TVM's script are not."""

import tilelang
import tilelang.language as T

n = T.dynamic("n")  # ~ error[TL104]: T.symbolic


@T.prim_func
def misspelt(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float16")
        T.tile.expp(a, a)
        #      ^^^^ error[TL104]: there is no T.tile.expp; did you mean T.tile.exp?
        T.pipelined(3)  # ~ error[TL104]: did you mean T.Pipelined?
        T.alloc_UB((64,), "float16")  # ~ error[TL104]: did you mean T.alloc_ub?
        T.sort(a, a, 3)  # ~ error[TL104]: did you mean T.tile.sort?
        T.tile.copy(a, A)  # ~ error[TL104]: did you mean T.copy?
        T.quaternion()  # ~ error[TL104]: there is no T.quaternion


@T.prim_func
def of_a_gpu(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float16")
        T.atomic_add(A, a)  # ~ error[TL104]: T.tile.atomic_add
        T.sync_threads()  # ~ error[TL104]: T.barrier_all
        T.reduce_abssum(a, a)  # ~ error[TL104]: T.tile.abs and T.reduce_sum
        T.tile.brcb(a, a, 1, 1, 8)  # ~ error[TL104]: T.tile.brcb_experiment


def never_called():
    # Names are looked up, calls are not made.
    return T.gemm, T.evaluate, T.float16x4


try:
    m = T.dyn("m")
except AttributeError:
    m = 64


@T.prim_func
def right(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float16")
        T.copy(A, a)
