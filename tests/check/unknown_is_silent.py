"""What cannot be known poisons what depends on it, without a word, and nothing else."""
#@ skipped: module settings is not evaluated
#@ skipped: module settings is not evaluated

import tilelang
import tilelang.language as T

import settings
import tilelang
import tilelang.language as T

size = settings.size
tile = settings.tile_of(size)[0] * 2 + 1


@T.prim_func
def unknown_shape(A: T.Tensor((size, 64), "float32")):
    with T.Kernel(size // tile, is_npu=True) as (cid, vid):
        a = T.alloc_ub((tile, 64), "float32")
        T.copy(A[cid * tile, 0], a)
        for i in range(tile):
            T.tile.add(a, a, a[i, 0])
        T.copy(a, A[cid * tile, 0])


@T.prim_func
def unknown_branch(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        if size > 3:
            T.copy(A, a)
        else:
            T.copy(A[0, 0, 0], a)


@T.prim_func
def known(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")  # ~ hint a: float32[64,64] UB 16 KiB
        T.tile.fill(a, 0.0)
        T.barrier_all()
        T.copy(a, A)
