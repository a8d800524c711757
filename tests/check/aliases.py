"""`T` is what was imported as it, whatever its name."""
#@ kernels: 4

import tilelang as tl
from tilelang import language as L
from tilelang.language import Kernel, Tensor, alloc_ub, copy, prim_func
import tilelang.language as T
import tilelang


@tl.language.prim_func
def one(A: tl.language.Tensor((64, 64), "float32")):
    with tl.language.Kernel(1, is_npu=True) as (cid, vid):
        a = tl.language.alloc_ub((64, 32), "float32")
        tl.language.copy(A, a)  # ~ error[TL202]: same shape


@L.prim_func
def two(A: L.Tensor((64, 64), "float32")):
    with L.Kernel(1, is_npu=True) as (cid, vid):
        a = L.alloc_ub((64, 32), "float32")
        L.copy(A, a)  # ~ error[TL202]: same shape


@prim_func
def three(A: Tensor((64, 64), "float32")):
    with Kernel(1, is_npu=True) as (cid, vid):
        a = alloc_ub((64, 32), "float32")
        copy(A, a)  # ~ error[TL202]: same shape


def factory(T=T):
    tile = T.tile
    mul = tile.mul

    @T.prim_func
    def four(A: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), "float32")
            b = T.alloc_ub((32, 64), "float32")
            T.copy(A, a)
            mul(a, b, 2.0)  # ~ error[TL302]: 2048

    return four


factory()
