"""What a star spreads may not be known: how many arguments there are is not known then, and a call
is not blamed for it."""
#@ instance: M=64, N=32, block=32
#@ skipped: module library is not evaluated
#@ skipped: module library is not evaluated

import json
import sys

import library
import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[1])
def rows(M, N, block=32):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, block), is_npu=True) as (cid, vid):
            a = T.alloc_ub((block, N), "float32")
            T.copy(A[cid * block, 0], a)
            T.barrier_all()
            T.copy(a, B[cid * block, 0])

    return main


@tilelang.jit(out_idx=[1])
def spread(M, N):
    extra, extent = library.extra(), library.extent()

    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(*library.grid, is_npu=True) as (cid, vid):
            a = T.alloc_ub(*extent)
            T.tile.exp(*extra)
            T.tile.add(a, *extra)
            T.copy(a, *extra)

    return main


rows(*library.shape())
rows(*torch.load("x.pt").shape)
rows(*map(int, sys.argv[1:3]))
rows(64, *library.rest())
with open("shapes.json") as file:
    for row in json.load(file):
        rows(*row)
rows(*next(library.pairs()))
rows(64, 32)
spread(65, 33)
