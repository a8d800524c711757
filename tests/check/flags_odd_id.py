"""Where a set and its wait have different ids, the call is told whose id goes with no other."""

import tilelang.language as T

FP = "float32"


def one_way(read, worked, set_id, wait_id, done):
    @T.prim_func
    def main(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 128), FP)
            with T.Scope("V"):
                T.copy(A[0, :], a)
                T.set_flag("mte2", "v", read)  # ~ error[TL404]: MTE2->V id 5 is set here, and nobody waits for it; id 1 is waited for
                T.wait_flag("mte2", "v", worked)
                T.tile.exp(a, a)
                T.set_flag("v", "mte3", set_id)  # ~ error[TL404]: V->MTE3 id 4 is set here, and nobody waits for it; id 2 is waited for
                T.wait_flag("v", "mte3", wait_id)
                T.copy(a, B[0, :])
                T.barrier_all()
                T.set_flag("mte3", "mte2", done)
                T.wait_flag("mte3", "mte2", done)

    return main


one_way(5, 1, 1, 1, 1)  # 1 is used for other pipes, too
one_way(3, 3, 4, 2, 3)  # neither is: ids are counted from 0
one_way(1, 1, 1, 1, 1)


def other_way(read, worked, set_id, wait_id, done):
    @T.prim_func
    def main(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 128), FP)
            with T.Scope("V"):
                T.copy(A[0, :], a)
                T.set_flag("mte2", "v", read)
                T.wait_flag("mte2", "v", worked)  # ~ error[TL404]: MTE2->V id 5: nobody sets
                T.tile.exp(a, a)
                T.set_flag("v", "mte3", set_id)
                T.wait_flag("v", "mte3", wait_id)  # ~ error[TL404]: V->MTE3 id 1: nobody sets
                T.copy(a, B[0, :])
                T.barrier_all()
                T.set_flag("mte3", "mte2", done)
                T.wait_flag("mte3", "mte2", done)

    return main


other_way(1, 5, 1, 1, 1)
other_way(2, 2, 2, 1, 2)
other_way(1, 1, 1, 1, 1)


def ping_pong(first, second, last, limit):
    @T.prim_func
    def main(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP), n: T.int32):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((2, 128), FP)
            with T.Scope("V"):
                T.set_flag("mte3", "mte2", first)
                T.set_flag("mte3", "mte2", second)  # ~ error[TL404]: MTE3->MTE2 id 4 is set here, and nobody waits for it
                for i in T.serial(limit):
                    T.wait_flag("mte3", "mte2", i % 2)
                    T.copy(A[i, :], a[i % 2, :])
                    T.set_flag("mte2", "mte3", i % 2)
                    T.wait_flag("mte2", "mte3", i % 2)
                    T.copy(a[i % 2, :], B[i, :])
                    T.set_flag("mte3", "mte2", i % 2)
                T.wait_flag("mte3", "mte2", 0)
                T.wait_flag("mte3", "mte2", last)

    return main


ping_pong(0, 4, 1, 8)
ping_pong(0, 1, 1, 8)


def pong(first, second, last, limit):
    @T.prim_func
    def main(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP), n: T.int32):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((2, 128), FP)
            with T.Scope("V"):
                T.set_flag("mte3", "mte2", first)
                T.set_flag("mte3", "mte2", second)
                for i in T.serial(limit):
                    T.wait_flag("mte3", "mte2", i % 2)
                    T.copy(A[i, :], a[i % 2, :])
                    T.set_flag("mte2", "mte3", i % 2)
                    T.wait_flag("mte2", "mte3", i % 2)
                    T.copy(a[i % 2, :], B[i, :])
                    T.set_flag("mte3", "mte2", i % 2)
                T.wait_flag("mte3", "mte2", 0)
                T.wait_flag("mte3", "mte2", last)  # ~ error[TL404]: MTE3->MTE2 id 6: nobody sets

    return main


pong(0, 1, 6, 8)
pong(0, 1, 1, 8)


def across(set_id, wait_id):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), W: T.Tensor((64, 64), FP), B: T.Tensor((64, 64), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), FP)
            u = T.alloc_ub((32, 64), FP)
            with T.Scope("C"):
                T.copy(A, a)
                T.barrier_all()
                T.gemm_v0(a, a, c, init=True)
                T.barrier_all()
                T.copy(c, W)
                T.set_cross_flag("FIX", set_id)  # ~ error[TL405]: flag 8: 1 set, but no wait on the other side, which waits for flag 0
            with T.Scope("V"):
                T.wait_cross_flag(wait_id)  # ~ error[TL405]: flag 8: 1 wait, but only 0 sets
                T.copy(W[vid * 32, 0], u)
                T.barrier_all()
                T.copy(u, B[vid * 32, 0])

    return main


across(8, 0)
across(0, 8)
across(3, 3)


# Another call could take the one that went astray, but its id is one that others have.
def set_astray(first, second):
    @T.prim_func
    def main(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 128), FP)
            b = T.alloc_ub((1, 128), FP)
            with T.Scope("V"):
                T.copy(A[0, :], a)
                T.set_flag("mte2", "v", first)  # ~ error[TL404]: MTE2->V id 1 is set here
                T.wait_flag("mte2", "v", 0)
                T.tile.exp(a, a)
                T.copy(A[1, :], b)
                T.set_flag("mte2", "v", 0)
                T.wait_flag("mte2", "v", second)
                T.tile.add(a, a, b)
                T.set_flag("v", "mte3", 0)
                T.wait_flag("v", "mte3", 0)
                T.copy(a, B[0, :])

    return main


set_astray(1, 0)
set_astray(0, 0)


def wait_astray(first, second):
    @T.prim_func
    def main(A: T.Tensor((64, 128), FP), B: T.Tensor((64, 128), FP)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 128), FP)
            b = T.alloc_ub((1, 128), FP)
            with T.Scope("V"):
                T.copy(A[0, :], a)
                T.set_flag("mte2", "v", first)
                T.wait_flag("mte2", "v", 0)
                T.tile.exp(a, a)
                T.copy(A[1, :], b)
                T.set_flag("mte2", "v", 0)
                T.wait_flag("mte2", "v", second)  # ~ error[TL404]: MTE2->V id 1: nobody sets
                T.tile.add(a, a, b)
                T.set_flag("v", "mte3", 0)
                T.wait_flag("v", "mte3", 0)
                T.copy(a, B[0, :])

    return main


wait_astray(0, 1)
wait_astray(0, 0)
