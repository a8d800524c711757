"""T.sync_all takes 11 to 14 of the flags between the cores."""

import tilelang.language as T


def build(number, everyone):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), "float32")
            with T.Scope("V"):
                T.copy(A[cid * 16 + vid * 8, 0], a)
                T.barrier_all()
                T.copy(a, B[cid * 16 + vid * 8, 0])
                T.set_cross_flag("MTE3", number, 0)  # ~ error[TL401]: flag 12: T.sync_all, which this kernel calls, uses 11 to 14
                for i in T.serial(1):
                    T.wait_cross_flag(number)
                if everyone:
                    T.sync_all()  # ~ warning[TL405]: only vector cores come to T.sync_all

    return main


build(12, True)
build(14, True)
build(10, True)
build(15, True)
build(12, False)


@T.prim_func
def waited_for(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), "float16")
        b = T.alloc_L1((16, 64), "float16")
        with T.Scope("V"):
            T.copy(A[cid * 16 + vid * 8, 0], a)
            T.sync_all()
            T.wait_cross_flag(13)  # ~ error[TL401]: flag 13
        with T.Scope("C"):
            T.copy(A[cid * 16, 0], b)
            T.sync_all()
            T.set_cross_flag("MTE2", 13)


@T.prim_func
def counted(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), "float32")
        with T.Scope("V"):
            T.copy(A[cid * 16 + vid * 8, 0], a)
            T.sync_all()  # ~ warning[TL405]: the cube cores never come
            for t in T.serial(4):
                T.set_cross_flag("MTE3", 9 + t % 2, 0)
                T.wait_cross_flag(9 + t % 2)
                T.set_cross_flag("MTE3", 10 + t % 2, 0)  # ~ error[TL401]: flag 11 at t = 1: T.sync_all, which
                T.wait_cross_flag(10 + t % 2)
                T.set_cross_flag("MTE3", 15 + t % 2, 0)  # ~ error[TL401]: there is no flag 16 between the cores at t = 1
                T.wait_cross_flag(15 + t % 2)
