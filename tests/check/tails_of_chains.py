"""Divisions of what is itself a number of tiles: what they leave over are whole tiles; and halves of odd
tiles, which leave out a row of each. Where the division comes out even, nothing is told."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def on_cores(M, rows, cores):
    per = M // rows // cores  # ~ warning[TL803]: 48 of 64 parts of 16 rows: rows 768..1023 of 1024 of B are never written

    @T.prim_func
    def main(A: T.Tensor((M, 64), "float32"), B: T.Tensor((M, 64), "float32")):
        with T.Kernel(cores, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows // 2, 64), "float32")
            with T.Scope("V"):
                for t in T.serial(per):
                    r = (cid * per + t) * rows + vid * (rows // 2)
                    T.copy(A[r, 0], a)
                    T.barrier_all()
                    T.copy(a, B[r, 0])
                    T.barrier_all()

    return main


on_cores(1024, 16, 32)
on_cores(1024, 16, 24)


@tilelang.jit(out_idx=[-1])
def pairs(M, rows):
    tiles = T.ceildiv(M, rows)

    @T.prim_func
    def main(A: T.Tensor((M, 64), "float32"), B: T.Tensor((M, 64), "float32")):
        with T.Kernel(tiles // 2, is_npu=True) as (cid, vid):  # ~ warning[TL803]: rows 992..999 of 1000 of B are never written
            a = T.alloc_ub((rows, 64), "float32")
            t = cid * 2 + vid
            with T.Scope("V"):
                if t < tiles:
                    T.copy(A[t * rows, 0], a)
                    T.barrier_all()
                    T.copy(a, B[t * rows, 0])

    return main


pairs(1024, 16)
pairs(1000, 16)


@tilelang.jit(out_idx=[-1])
def odd_halves(M, rows):
    @T.prim_func
    def main(A: T.Tensor((M, 64), "float32"), B: T.Tensor((M, 64), "float32")):
        with T.Kernel(T.ceildiv(M, rows), is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows // 2, 64), "float32")  # ~ warning[TL803]: 25 // 2 is 12: 40 of the 1000 rows of B are never written, row 24 the first
            with T.Scope("V"):
                T.copy(A[cid * rows + vid * (rows // 2), 0], a)
                T.barrier_all()
                T.copy(a, B[cid * rows + vid * (rows // 2), 0])

    return main


odd_halves(1000, 20)
odd_halves(1000, 25)


@tilelang.jit(out_idx=[-1])
def never_true(M, rows):
    full = M // rows  # ~ warning[TL803]: the last 8 rows of B are never written
    rest = M % rows

    @T.prim_func
    def main(A: T.Tensor((M, 64), "float32"), B: T.Tensor((M, 64), "float32")):
        with T.Kernel(full // 2, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, 64), "float32")
            t = cid * 2 + vid
            with T.Scope("V"):
                T.copy(A[t * rows, 0], a)
                T.barrier_all()
                T.copy(a, B[t * rows, 0])
                if t == full + 1000 and rest > 0:
                    T.barrier_all()
                    T.copy(A[full * rows, 0], a)
                    T.barrier_all()
                    T.copy(a, B[full * rows, 0])

    return main


never_true(1000, 16)


@tilelang.jit(out_idx=[-1])
def last_pair(M, rows):
    tiles = M // rows

    @T.prim_func
    def main(A: T.Tensor((M, 64), "float32"), B: T.Tensor((M, 64), "float32")):
        with T.Kernel(tiles // 2, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, 64), "float32")
            t = cid * 2 + vid
            with T.Scope("V"):
                T.copy(A[t * rows, 0], a)
                T.barrier_all()
                T.copy(a, B[t * rows, 0])
                if t == 0:
                    T.barrier_all()
                    T.copy(A[(tiles - 1) * rows, 0], a)
                    T.barrier_all()
                    T.copy(a, B[(tiles - 1) * rows, 0])

    return main


last_pair(1008, 16)
