"""Pipes that touch a tile in no order, in all directions; what is ordered in whatever way is silent."""

import tilelang
import tilelang.language as T

FP = "float32"


@tilelang.jit(out_idx=[-1])
def bare(N):
    """No synchronisation at all is one fault."""

    @T.prim_func
    def main(A: T.Tensor((N,), FP), B: T.Tensor((N,), FP)):
        with T.Kernel(N // 128, is_npu=True) as (cid, vid):
            a = T.alloc_ub((128,), FP)
            with T.Scope("V"):
                T.copy(A[cid * 128], a)
                T.tile.exp(a, a)  # ~ error[TL406]: a: V reads it here, MTE2 writes it in T.copy
                T.copy(a, B[cid * 128])

    return main


bare(1024)


@tilelang.jit(out_idx=[-1], pass_configs={tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True})
def automatic(N):
    @T.prim_func
    def main(A: T.Tensor((N,), FP), B: T.Tensor((N,), FP)):
        with T.Kernel(N // 128, is_npu=True) as (cid, vid):
            a = T.alloc_ub((128,), FP)
            T.copy(A[cid * 128], a)
            T.tile.exp(a, a)
            T.copy(a, B[cid * 128])

    return main


automatic(1024)


@T.prim_func
def elsewhere(A: T.Tensor((128,), FP), B: T.Tensor((128,), FP)):
    # Nobody compiles it here: the options are not known.
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((128,), FP)
        T.copy(A, a)
        T.tile.exp(a, a)
        T.copy(a, B)


@T.prim_func
def carried(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        b = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            for i in T.serial(64):
                T.copy(A[i, :], a)  # ~ error[TL406]: a: MTE2 writes it here, V reads it in T.tile.exp of an earlier
                T.set_flag("mte2", "v", 1)
                T.wait_flag("mte2", "v", 1)
                T.tile.exp(b, a)  # ~ error[TL406]: b: V writes it here, MTE3 reads it in T.copy of an earlier
                T.set_flag("v", "mte3", 1)
                T.wait_flag("v", "mte3", 1)
                T.copy(b, B[i, :])


@T.prim_func
def two_slots(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 128), FP)
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 0)
            T.set_flag("mte3", "mte2", 1)
            for i in T.serial(64):
                T.wait_flag("mte3", "mte2", i % 2)
                T.copy(A[i, :], a[i % 2, :])
                T.set_flag("mte2", "v", 2 + i % 2)
                T.wait_flag("mte2", "v", 2 + i % 2)
                T.tile.exp(a[i % 2, :], a[i % 2, :])
                T.set_flag("v", "mte3", i % 2)
                T.wait_flag("v", "mte3", i % 2)
                T.copy(a[i % 2, :], B[i, :])
                T.set_flag("mte3", "mte2", i % 2)
            T.wait_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 1)


@T.prim_func
def wrong_slot(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 128), FP)
        with T.Scope("V"):
            T.set_flag("v", "mte2", 2)
            T.set_flag("v", "mte2", 3)
            for i in T.serial(64):
                T.wait_flag("v", "mte2", 2 + i % 2)
                # The flag speaks for the other slot.
                T.copy(A[i, :], a[(i + 1) % 2, :])  # ~ error[TL406]: a: MTE2 writes it here, V reads it
                T.set_flag("mte2", "v", 2 + i % 2)
                T.wait_flag("mte2", "v", 2 + i % 2)
                T.tile.exp(a[i % 2, :], a[i % 2, :])
                T.set_flag("v", "mte2", 2 + i % 2)
            T.wait_flag("v", "mte2", 2)
            T.wait_flag("v", "mte2", 3)


@T.prim_func
def scalars(A: T.Tensor((64,), "int32"), B: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        n = T.alloc_ub((64,), "int32")
        b = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            T.copy(A, n)
            T.copy(B[n[0], :], b)  # ~ error[TL406]: n: S reads it here, MTE2 writes it in T.copy
            T.barrier_all()
            n[1] = 3
            T.tile.add(n, n, 1)  # ~ info[TL406]: n: V reads it here, S writes it in an element store


@T.prim_func
def through_gm(A: T.Tensor((64, 128), FP), W: T.Tensor((64, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 128), FP)
        b = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(a, W[2, 0])
            T.copy(W[0, 0], b)
            T.copy(W[3, :], b)  # ~ error[TL406]: W: MTE2 reads it here, MTE3 writes it in T.copy


@T.prim_func
def templates(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), FP), C: T.Tensor((60, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), FP)
        u = T.alloc_ub((8, 128), FP)
        with T.Scope("C"):
            for _i in T.serial(3):
                # gemm_v0 waits for MTE2 and FIX, and they for it, by flags of its own.
                T.copy(A, a)
                T.gemm_v0(a, a, c, init=True)
                T.copy(c, B)
        with T.Scope("V"):
            for i in T.serial(8):
                # The last copy is filled first, behind MTE2 and MTE3.
                T.copy(C[i * 8, 0], u)
                T.set_flag("mte2", "v", 1)
                T.wait_flag("mte2", "v", 1)
                T.tile.add(u, u, 1.0)
                T.set_flag("v", "mte3", 1)
                T.wait_flag("v", "mte3", 1)
                T.copy(u, C[i * 8, 0])
                T.set_flag("mte3", "mte2", 1)
                T.wait_flag("mte3", "mte2", 1)


@T.prim_func
def unknown_ways(A: T.Tensor((64, 128), FP), n: T.int32, m: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            if n > 3:
                T.copy(A[0, 0], a)
            if n > 3:
                T.barrier_all()
            if m > 3:
                T.tile.add(a, a, 1.0)
            T.barrier_all()
            for i in T.serial(m):
                T.copy(A[i, 0], a)
                T.tile.add(a, a, 1.0)  # ~ error[TL406]: a: V reads it here
                T.barrier_all()
            if n > 7:
                T.copy(a, A[1, 0])
            else:
                T.tile.add(a, a, 1.0)


@T.prim_func
def turned_round(A: T.Tensor((4, 128), FP), B: T.Tensor((4, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        b = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            # The credit is for the wrong side: the vector unit begins, MTE2 comes after.
            T.set_flag("mte2", "v", 0)  # ~ error[TL406]: MTE2->V id 0 is set here before MTE2 has done anything, so that V reads a in T.tile.exp before MTE2 writes it
            for i in T.serial(4):
                T.wait_flag("v", "mte2", 0)
                T.copy(A[i, 0], a)
                T.copy(A[i, 0], b)
                T.set_flag("mte2", "v", 0)
                T.wait_flag("mte2", "v", 0)
                T.tile.exp(a, a)
                T.tile.exp(b, b)
                T.set_flag("v", "mte2", 0)
            T.barrier_all()
            T.wait_flag("mte2", "v", 0)


@T.prim_func
def one_wait_less(A: T.Tensor((4, 128), FP), B: T.Tensor((4, 128), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), FP)
        b = T.alloc_ub((1, 128), FP)
        c = T.alloc_ub((1, 128), FP)
        with T.Scope("V"):
            # All waits take the set before theirs, which is one fault.
            T.copy(A[0, 0], a)
            T.set_flag("mte2", "v", 0)
            T.tile.exp(a, a)  # ~ error[TL406]: a: V reads it here
            T.copy(A[1, 0], b)
            T.set_flag("mte2", "v", 0)
            T.wait_flag("mte2", "v", 0)
            T.tile.exp(b, b)
            T.copy(A[2, 0], c)
            T.set_flag("mte2", "v", 0)
            T.wait_flag("mte2", "v", 0)
            T.tile.exp(c, c)
