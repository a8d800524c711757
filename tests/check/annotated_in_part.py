"""Tiles that overlap in part: an error where what is read of one was certainly overwritten."""

import tilelang.language as T


@T.prim_func
def at_once(A: T.Tensor((32, 128), "float32"), B: T.Tensor((32, 128), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float32")
        b = T.alloc_ub((16, 128), "float32")  # ~ error[TL504]: bytes 4096 to 8192
        T.annotate_address({a: 0, b: 4096})
        with T.Scope("V"):
            T.copy(A[vid * 16, 0], a)
            T.barrier_all()
            T.tile.exp(b, a)
            T.barrier_all()
            T.copy(b, B[vid * 16, 0])


@T.prim_func
def behind_what_is_read(A: T.Tensor((32, 128), "float32"), B: T.Tensor((32, 128), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float32")
        b = T.alloc_ub((16, 128), "float32")  # ~ info[TL504]: bytes 4096 to 8192
        T.annotate_address({a: 4096, b: 0})
        with T.Scope("V"):
            T.copy(A[vid * 16, 0], a)
            T.barrier_all()
            T.tile.exp(b, a)
            T.barrier_all()
            T.copy(b, B[vid * 16, 0])


def one_after_the_other(first, second, rows):
    @T.prim_func
    def main(A: T.Tensor((32, 128), "float32"), B: T.Tensor((32, 128), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 128), "float32")
            b = T.alloc_ub((rows, 128), "float32")  # ~ error[TL504]: bytes 4096 to 8192 # ~ info[TL504]: bytes 4096 to 8192
            T.annotate_address({a: first, b: second})
            with T.Scope("V"):
                for i in T.serial(2):
                    T.copy(A[vid * 16, 0], a)
                    T.copy(A[vid * 16, 0], b)
                    T.barrier_all()
                    T.copy(a, B[vid * 16, 0])
                    T.barrier_all()
                    T.copy(b, B[vid * 16, 0])
                    T.barrier_all()

    return main


one_after_the_other(0, 4096, 16)
one_after_the_other(0, 8160, 16)
one_after_the_other(0, 8192, 16)
one_after_the_other(0, 4096, 8)  # perhaps a view of the lower half


@T.prim_func
def written_again(A: T.Tensor((32, 128), "float32"), B: T.Tensor((32, 128), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float32")
        b = T.alloc_ub((16, 128), "float32")  # ~ info[TL504]: bytes 4096 to 8192
        T.annotate_address({a: 0, b: 4096})
        with T.Scope("V"):
            T.copy(A[vid * 16, 0], a)
            T.barrier_all()
            T.copy(a, B[vid * 16, 0])
            T.barrier_all()
            T.copy(A[vid * 16, 0], b)
            T.barrier_all()
            T.copy(b, B[vid * 16, 0])
            T.barrier_all()
            T.copy(A[vid * 16, 0], a)
            T.barrier_all()
            T.copy(a, B[vid * 16, 0])


def converted(kinds, first, second):
    @T.prim_func
    def main(A: T.Tensor((32, 128), kinds[0]), B: T.Tensor((32, 128), kinds[1])):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 128), kinds[0])
            b = T.alloc_ub((16, 128), kinds[1])  # ~ error[TL504]: both hold something
            T.annotate_address({a: first, b: second})
            with T.Scope("V"):
                T.copy(A[vid * 16, 0], a)
                T.barrier_all()
                T.copy(a, b)
                T.barrier_all()
                T.copy(b, B[vid * 16, 0])

    return main


converted(("float32", "float16"), 0, 4096)  # within a, over what is read later
converted(("float16", "float32"), 0, 1024)
converted(("float16", "float32"), 1024, 0)  # reaches what is read later


def converted_in_time(kinds, first, second):
    @T.prim_func
    def main(A: T.Tensor((32, 128), kinds[0]), B: T.Tensor((32, 128), kinds[1])):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 128), kinds[0])
            b = T.alloc_ub((16, 128), kinds[1])  # ~ info[TL504]: both hold something
            T.annotate_address({a: first, b: second})
            with T.Scope("V"):
                T.copy(A[vid * 16, 0], a)
                T.barrier_all()
                T.copy(a, b)
                T.barrier_all()
                T.copy(b, B[vid * 16, 0])

    return main


converted_in_time(("float32", "float16"), 0, 0)  # behind what is read
converted_in_time(("float16", "float32"), 4096, 0)  # comes up to it
