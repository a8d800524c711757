"""Of several pipes that stand still, the call at fault is named, once: the wait whose flag is set too
rarely, the call whose id is another one than that of its half, the wait before its set."""

import tilelang
import tilelang.language as T

FP, HALF = "float32", "float16"


@T.prim_func
def not_primed(A: T.Tensor((64, 64), HALF), C: T.Tensor((64, 64), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        l0a = T.alloc_L0A((64, 64), HALF)
        l0b = T.alloc_L0B((64, 64), HALF)
        c = T.alloc_L0C((64, 64), FP)
        with T.Scope("C"):
            T.set_flag("fix", "m", 0)
            for _i in T.serial(8):
                # MTE1 and M stand behind this one; the flag is drained, and never primed.
                T.wait_flag("mte1", "mte2", 0)  # ~ error[TL404]: MTE1->MTE2 id 0: this is waited for once more often
                T.copy(A, a)
                T.set_flag("mte2", "mte1", 0)
                T.wait_flag("mte2", "mte1", 0)
                T.copy(a, l0a)
                T.copy(a, l0b)
                T.set_flag("mte1", "mte2", 0)
                T.set_flag("mte1", "m", 0)
                T.wait_flag("mte1", "m", 0)
                T.wait_flag("fix", "m", 0)
                T.mma(l0a, l0b, c, init=True)
                T.set_flag("m", "mte1", 0)
                T.wait_flag("m", "mte1", 0)
                T.set_flag("m", "fix", 0)
                T.wait_flag("m", "fix", 0)
                T.copy(c, C)
                T.set_flag("fix", "m", 0)
            T.wait_flag("mte1", "mte2", 0)
            T.wait_flag("fix", "m", 0)


@T.prim_func
def neither_primed_nor_drained(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 128), FP)
        with T.Scope("V"):
            for i in T.serial(64):
                T.wait_flag("mte3", "mte2", i % 2)  # ~ error[TL404]: MTE3->MTE2 ids 0 and 1: the wait comes before its
                T.copy(A[i, :], a[i % 2, :])
                T.set_flag("mte2", "v", i % 2)
                T.wait_flag("mte2", "v", i % 2)
                T.tile.exp(a[i % 2, :], a[i % 2, :])
                T.set_flag("v", "mte3", i % 2)
                T.wait_flag("v", "mte3", i % 2)
                T.copy(a[i % 2, :], B[i, :])
                T.set_flag("mte3", "mte2", i % 2)


@T.prim_func
def set_with_another_id(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            T.set_flag("v", "mte2", 3)  # ~ error[TL404]: V->MTE2 id 3 is set here, and nobody waits for it; id 2
            for i in T.serial(64):
                T.wait_flag("v", "mte2", 2)
                T.copy(A[i, :], a)
                T.set_flag("mte2", "v", 2)
                T.wait_flag("mte2", "v", 2)
                T.tile.exp(a, a)
                T.set_flag("v", "mte2", 2)
            T.wait_flag("v", "mte2", 2)


@T.prim_func
def wait_with_another_id(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            T.set_flag("v", "mte2", 2)
            for i in T.serial(64):
                T.wait_flag("v", "mte2", 2)
                T.copy(A[i, :], a)
                T.set_flag("mte2", "v", 2)
                T.wait_flag("mte2", "v", 4)  # ~ error[TL404]: MTE2->V id 4: nobody sets the flag that is waited for
                T.tile.exp(a, a)
                T.set_flag("v", "mte2", 2)
            T.wait_flag("v", "mte2", 2)


@T.prim_func
def first_wait_forgotten(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            T.set_flag("v", "mte2", 2)
            T.copy(A[0, :], a)
            T.set_flag("mte2", "v", 2)
            T.wait_flag("mte2", "v", 2)
            T.tile.exp(a, a)
            T.set_flag("v", "mte2", 2)  # ~ error[TL404]: V->MTE2 id 2 is set again before anybody has waited for it
            for i in T.serial(1, 63):
                T.wait_flag("v", "mte2", 2)
                T.copy(A[i, :], a)
                T.set_flag("mte2", "v", 2)
                T.wait_flag("mte2", "v", 2)
                T.tile.exp(a, a)
                T.set_flag("v", "mte2", 2)
            T.wait_flag("v", "mte2", 2)


@T.prim_func
def long_loops_differ(A: T.Tensor((64, 128), FP)):
    # Both loops run as often; the one repeats after two iterations, the other never.
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 128), FP)
        b = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            for i in T.serial(60):
                T.tile.exp(a[i % 2, :], a[i % 2, :])
                # ~^ warning[TL321]: a is read here before anything has written it
                T.set_flag("v", "mte2", 2)
                T.wait_flag("v", "mte2", 2)
                T.copy(A[i, :], b)
                T.barrier_all()
            for i in T.serial(60):
                if i * i % 7 == 3:
                    T.barrier_all()
                T.set_flag("v", "mte2", 3)
                T.wait_flag("v", "mte2", 3)


@T.prim_func
def another_id_between_cores(A: T.Tensor((64, 64), HALF), W: T.Tensor((2, 64, 64), HALF)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), HALF)
        b = T.alloc_ub((32, 64), HALF)
        with T.Scope("V"):
            for _i in T.serial(20):
                T.copy(b, W[0, vid * 32, 0])
                T.set_cross_flag("MTE3", 0)
                T.barrier_all()
                T.copy(b, W[1, vid * 32, 0])
                T.set_cross_flag("MTE3", 2)  # ~ error[TL405]: flag 2: 20 sets, but no wait on the other side, which waits
                T.barrier_all()
                T.wait_cross_flag(3)
        with T.Scope("C"):
            for _i in T.serial(20):
                T.wait_cross_flag(0)
                T.copy(W[0, 0, 0], a)
                T.barrier_all()
                T.wait_cross_flag(0)
                T.copy(W[1, 0, 0], a)
                T.barrier_all()
                T.set_cross_flag("MTE2", 3)


@tilelang.jit(pass_configs={tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True})
def automatic_within_cores():
    @T.prim_func
    def main(A: T.Tensor((64, 64), HALF), W: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), HALF)
            c = T.alloc_L0C((64, 64), FP)
            b = T.alloc_ub((32, 64), FP)
            with T.Scope("C"):
                T.copy(A, a)
                T.gemm_v0(a, a, c, init=True)
                T.copy(c, W)
                T.set_cross_flag("FIX", 0)
            with T.Scope("V"):
                T.copy(W[vid * 32, 0], b)  # ~ error[TL407]: W: MTE2 of a vector core reads it here, FIX of the cube core
                T.wait_cross_flag(0)
                T.tile.exp(b, b)
                T.copy(b, B[vid * 32, 0])

    return main


automatic_within_cores()
