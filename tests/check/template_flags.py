"""Flags that are held across a template with the same id; flags of other ids, and returned ones."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((100, 64), "float16"), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float")
        tile = T.alloc_ub((64, 64), "float16")
        with T.Scope("C"):
            T.set_flag("m", "mte1", 1)  # ~ warning[TL402]: M->MTE1 id 1 is held across T.gemm_v0
            T.set_flag("m", "mte1", 2)
            T.set_flag("fix", "m", 0)
            T.wait_flag("fix", "m", 0)
            T.copy(A, a)
            T.copy(A, b)
            T.barrier_all()
            T.gemm_v0(a, b, c, init=True)
            T.gemm_v0(a, b, c)
            T.wait_flag("m", "mte1", 1)
            T.wait_flag("m", "mte1", 2)
            T.set_cross_flag("FIX", 15)
            T.set_cross_flag("FIX", 17)  # ~ error[TL401]: ids are 0..15
        with T.Scope("V"):
            T.set_flag("v", "mte2", 0)  # ~ warning[TL402]: V->MTE2 id 0 is held across T.copy
            T.copy(B[64, 0], tile)  # 36 of 64 rows: the rest is filled
            T.wait_flag("v", "mte2", 0)
            T.set_flag("v", "mte2", 0)
            T.copy(A, tile)
            T.copy(B[n, 0], tile)  # filled or not: the device knows
            T.wait_flag("v", "mte2", 0)
            T.set_flag("mte3", "mte2", 9)  # ~ info[TL402]: the documented ids of a pair of pipes are 0..7
            T.wait_flag("mte3", "mte2", 9)  # the same id
            T.set_flag("mte2", "mte4", 3)  # ~ error[TL106]: there is no pipe 'mte4'
            T.wait_flag("mte2", "mte4", 3)  # the same word, told once
            T.pipe_barrier("vector")  # ~ error[TL106]: there is no pipe 'vector'


@T.prim_func
def counted(A: T.Tensor((64, 64), "float16"), B: T.Tensor((100, 64), "float16"), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float")
        with T.Scope("C"):
            T.copy(A, a)
            T.copy(A, b)
            T.barrier_all()
            for t in T.serial(4):
                T.set_flag("m", "mte1", t % 2)  # ~ warning[TL402]: M->MTE1 id 0 is held across T.gemm_v0
                T.set_flag("m", "mte1", 2 + t % 2)
                T.set_flag("mte1", "mte2", t % 2)
                T.wait_flag("mte1", "mte2", t % 2)
                T.gemm_v0(a, b, c, init=True)
                T.wait_flag("m", "mte1", t % 2)
                T.wait_flag("m", "mte1", 2 + t % 2)


@T.prim_func
def handed_on(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((2, 64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float")
        with T.Scope("C"):
            for t in T.serial(2):
                T.set_flag("mte1", "mte2", t)
            for t in T.serial(8):
                T.wait_flag("mte1", "mte2", t % 2)
                T.copy(A, a[t % 2, :, :])
                T.set_flag("mte2", "mte1", 2)
                T.wait_flag("mte2", "mte1", 2)
                T.gemm_v0(a[t % 2, :, :], a[t % 2, :, :], c, init=True)
                T.set_flag("mte1", "mte2", t % 2)  # ~ warning[TL402]: MTE1->MTE2 id 0 is held across T.gemm_v0
            for t in T.serial(2):
                T.wait_flag("mte1", "mte2", t)


@T.prim_func
def of_another_turn(A: T.Tensor((64, 64), "float16"), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float")
        with T.Scope("C"):
            T.copy(A, a)
            T.barrier_all()
            for t in T.serial(4):
                T.set_flag("fix", "m", t % 2)
                T.wait_flag("fix", "m", n)  # any of them
                T.gemm_v0(a, a, c, init=True)


@tilelang.jit(target="pto")
def ignored():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), n: T.int32):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            tile = T.alloc_ub((64, 64), "float16")
            with T.Scope("V"):
                T.copy(A, tile)
                for t in T.serial(3):
                    T.set_flag("mte2", "v", 7 + t)  # ~ warning[TL402]: event id 8 at t = 1
                    T.wait_flag("mte2", "v", 7 + t)
                if n > 3:
                    T.set_flag("mte2", "v", 11)  # ~ warning[TL402]: event id 11
                    T.wait_flag("mte2", "v", 11)

    return main


ignored()
