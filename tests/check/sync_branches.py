"""Branches that data or a parameter decides: a fault on one way of them is certain, whichever way it is."""

import tilelang
import tilelang.language as T

FP = "float32"


@tilelang.jit(out_idx=[-1])
def set_on_one_way(N):
    @T.prim_func
    def main(A: T.Tensor((N,), FP), L: T.Tensor((16,), "int32"), B: T.Tensor((N,), FP)):
        with T.Kernel(N // 128, is_npu=True) as (cid, vid):
            a = T.alloc_ub((128,), FP)
            with T.Scope("V"):
                T.copy(A[cid * 128], a)
                if L[cid] > 0:
                    T.set_flag("mte2", "v", 1)
                T.wait_flag("mte2", "v", 1)  # ~ error[TL404]: nobody sets the flag
                T.tile.abs(a, a)
                T.barrier_all()
                T.copy(a, B[cid * 128])

    return main


@tilelang.jit(out_idx=[-1])
def barrier_on_one_way(N):
    @T.prim_func
    def main(A: T.Tensor((N,), FP), L: T.Tensor((16,), "int32"), B: T.Tensor((N,), FP)):
        with T.Kernel(N // 128, is_npu=True) as (cid, vid):
            a = T.alloc_ub((128,), FP)
            n = L[cid * 2]
            with T.Scope("V"):
                T.copy(A[cid * 128], a)
                if n > 0:
                    T.barrier_all()
                T.tile.abs(a, a)  # ~ error[TL406]: a: V reads it here, MTE2 writes it in T.copy
                T.barrier_all()
                T.copy(a, B[cid * 128])

    return main


@tilelang.jit(out_idx=[-1])
def by_parameter(N):
    @T.prim_func
    def main(A: T.Tensor((N,), FP), flag: T.int32, B: T.Tensor((N,), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((128,), FP)
            with T.Scope("V"):
                for t in T.serial(N // 128):
                    T.copy(A[t * 128], a)
                    T.set_flag("mte2", "v", 2)
                    if flag == 7:
                        T.wait_flag("mte2", "v", 2)
                        T.tile.abs(a, a)
                        T.set_flag("v", "mte3", 2)  # ~ error[TL404]: set here where id 3 is waited
                    else:
                        T.wait_flag("mte2", "v", 2)
                        T.set_flag("v", "mte3", 3)
                    T.wait_flag("v", "mte3", 3)
                    T.copy(a, B[t * 128])
                    T.set_flag("mte3", "mte2", 2)
                    T.wait_flag("mte3", "mte2", 2)

    return main


@tilelang.jit(out_idx=[-1])
def between_the_cores(M, N):
    @T.prim_func
    def main(
        A: T.Tensor((M, N), "float16"), L: T.Tensor((16,), "int32"), B: T.Tensor((M, N), "float16")
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((M, N), "float16")
            x = T.alloc_ub((M // 2, N), "float16")
            with T.Scope("C"):
                T.copy(A, a)
                if L[0] > 0:
                    T.set_cross_flag("MTE2", 3)
                else:
                    T.set_cross_flag("MTE2", 4)  # ~ error[TL405]: does not hold
            with T.Scope("V"):
                T.wait_cross_flag(3)
                T.copy(A[vid * M // 2, 0], x)
                T.barrier_all()
                T.copy(x, B[vid * M // 2, 0])

    return main


@tilelang.jit(out_idx=[-1])
def one_of_two_modes(N):
    """Who calls this gives 0 or 1: neither branch says that there is anything else."""

    @T.prim_func
    def main(A: T.Tensor((N,), FP), mode: T.int32, B: T.Tensor((N,), FP)):
        with T.Kernel(N // 128, is_npu=True) as (cid, vid):
            a = T.alloc_ub((128,), FP)
            with T.Scope("V"):
                T.copy(A[cid * 128], a)
                if mode == 0:
                    T.set_flag("mte2", "v", 1)
                if mode == 1:
                    T.set_flag("mte2", "v", 1)
                T.wait_flag("mte2", "v", 1)
                T.tile.abs(a, a)
                T.barrier_all()
                T.copy(a, B[cid * 128])

    return main


@tilelang.jit(out_idx=[-1])
def both_ways(N):
    """What one branch leaves out the same condition leaves out behind it."""

    @T.prim_func
    def main(A: T.Tensor((N,), FP), L: T.Tensor((16,), "int32"), B: T.Tensor((N,), FP)):
        with T.Kernel(N // 128, is_npu=True) as (cid, vid):
            a = T.alloc_ub((128,), FP)
            with T.Scope("V"):
                T.copy(A[cid * 128], a)
                if L[cid] > 0:
                    T.set_flag("mte2", "v", 1)
                else:
                    T.barrier_all()
                if not (L[cid] <= 0):
                    T.wait_flag("mte2", "v", 1)
                T.tile.abs(a, a)
                T.barrier_all()
                T.copy(a, B[cid * 128])

    return main


@tilelang.jit(out_idx=[-1])
def in_other_blocks(N):
    """The first block does not come to the branch."""

    @T.prim_func
    def main(A: T.Tensor((N,), FP), L: T.Tensor((16,), "int32"), B: T.Tensor((N,), FP)):
        with T.Kernel(N // 128, is_npu=True) as (cid, vid):
            a = T.alloc_ub((128,), FP)
            with T.Scope("V"):
                T.copy(A[cid * 128], a)
                if cid > 2:
                    if L[0] > 0:
                        T.barrier_all()
                else:
                    T.barrier_all()
                T.tile.abs(a, a)  # ~ error[TL406]: a: V reads it here, MTE2 writes it in T.copy
                T.barrier_all()
                T.copy(a, B[cid * 128])

    return main


set_on_one_way(1024)
in_other_blocks(1024)
barrier_on_one_way(1024)
by_parameter(1024)
between_the_cores(64, 64)
one_of_two_modes(1024)
both_ways(1024)
