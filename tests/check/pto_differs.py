"""What upstream's programs of route pto do differently; route ascendc and other uses are silent."""

import tilelang
import tilelang.language as T

FP = "float32"


def kernel(target):
    @tilelang.jit(target=target)
    def factory():
        @T.prim_func
        def main(A: T.Tensor((256,), FP), N: T.Tensor((256,), "int32"), n: T.int32):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_ub((256,), FP)
                b = T.alloc_ub((256,), FP)
                places = T.alloc_ub((256,), "int32")
                with T.Scope("V"):
                    T.copy(A, a)
                    T.barrier_all()
                    T.tile.arith_progression(places, 0, 1, 256)
                    T.tile.arith_progression(places, 0, -1, 256)
                    T.tile.arith_progression(places, 0, n, 256)
                    T.tile.sigmoid(b, a)
                    T.barrier_all()
                    T.copy(b, A)

        return main

    return factory()


kernel("pto")
kernel("ascendc")


@tilelang.jit(target="pto")
def differs():
    @T.prim_func
    def main(A: T.Tensor((256,), FP), N: T.Tensor((256,), "int32"), n: T.int32):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((256,), FP)
            b = T.alloc_ub((256,), FP)
            c = T.alloc_ub((256,), FP)
            places = T.alloc_ub((256,), "int32")
            with T.Scope("V"):
                T.copy(A, a)
                T.tile.fill(c, 2.0)
                T.barrier_all()
                T.tile.arith_progression(places, 0, -2, 256)  # ~ warning[TL313]: and counts by -1
                for i in T.serial(3):
                    T.tile.pow(b, a, c)  # ~ warning[TL314]: T.tile.pow overwrites a on upstream's route pto, and a is read in the next
                    T.barrier_all()
                T.copy(A, a)
                T.barrier_all()
                for i in T.serial(4):  # each time another part
                    T.tile.pow(b[i * 64 : i * 64 + 64], a[i * 64 : i * 64 + 64], c[0:64])
                T.barrier_all()
                T.copy(A, a)
                T.barrier_all()
                T.tile.sigmoid(b, a)  # what follows may not come
                if n > 3:
                    T.tile.add(b, b, a)
                T.barrier_all()
                T.tile.sigmoid(a, c)
                T.barrier_all()
                T.copy(a, A)

    return main


differs()
