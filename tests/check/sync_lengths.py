"""Loops whose length comes from data, or from a parameter: they go around as often as their tensors allow."""

import tilelang
import tilelang.language as T

FP = "float32"


def ring(early, late):
    """A ring of two tiles by hand; the wait for a free one stands before the copy, or behind it."""

    @tilelang.jit(out_idx=[-1])
    def factory(B, L):
        @T.prim_func
        def main(A: T.Tensor((B, L, 64), FP), lens: T.Tensor((B,), "int32"), C: T.Tensor((B, 64), FP)):
            with T.Kernel(B // 2, is_npu=True) as (cid, vid):
                x = T.alloc_ub((2, 64), FP)
                acc = T.alloc_ub((1, 64), FP)
                b = cid * 2 + vid
                with T.Scope("V"):
                    T.tile.fill(acc, 0.0)
                    n = lens[b]
                    T.set_flag("v", "mte2", 0)
                    T.set_flag("v", "mte2", 1)
                    for i in T.serial(n):
                        if early:
                            T.wait_flag("v", "mte2", i % 2)
                        T.copy(A[b, i, 0], x[i % 2, :])  # ~ error[TL406]: x: MTE2 writes it here
                        if late:
                            T.wait_flag("v", "mte2", i % 2)
                        T.set_flag("mte2", "v", i % 2)
                        T.wait_flag("mte2", "v", i % 2)
                        T.pipe_barrier("v")
                        T.tile.add(acc[0, :], acc[0, :], x[i % 2, :])
                        T.set_flag("v", "mte2", i % 2)
                    T.wait_flag("v", "mte2", 0)
                    T.wait_flag("v", "mte2", 1)
                    T.set_flag("v", "mte3", 0)
                    T.wait_flag("v", "mte3", 0)
                    T.copy(acc, C[b, 0])

        return main

    return factory


@tilelang.jit(out_idx=[-1])
def by_parameter(L):
    """As a number that the caller gives; the rows are found by a name."""

    @T.prim_func
    def main(A: T.Tensor((L, 64), FP), count: T.int32, C: T.Tensor((L, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            x = T.alloc_ub((2, 1, 64), FP)
            with T.Scope("V"):
                T.set_flag("mte3", "mte2", 0)
                T.set_flag("mte3", "mte2", 1)
                for i in T.serial(count // 2):
                    row = i * 2 + vid
                    T.copy(A[row, 0], x[i % 2, :, :])  # ~ error[TL406]: x: MTE2 writes it here
                    T.wait_flag("mte3", "mte2", i % 2)
                    T.set_flag("mte2", "mte3", i % 2)
                    T.wait_flag("mte2", "mte3", i % 2)
                    T.copy(x[i % 2, :, :], C[row, 0])
                    T.set_flag("mte3", "mte2", i % 2)
                T.wait_flag("mte3", "mte2", 0)
                T.wait_flag("mte3", "mte2", 1)

    return main


ring(False, True)(16, 128)
ring(True, False)(16, 32)
by_parameter(64)
