"""Flags that are held across copies whose template fills what is missing with flags of its own."""

import tilelang.language as T

M = T.symbolic("M")


@T.prim_func
def some_block_has_a_tail(A: T.Tensor((1000, 64), "float16"), C: T.Tensor((1000, 64), "float16")):
    with T.Kernel(32, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 64), "float16")
        with T.Scope("V"):
            row = (cid * 2 + vid) * 16
            T.set_flag("v", "mte2", 0)  # ~ warning[TL402]: V->MTE2 id 0 is held across T.copy
            T.copy(A[row, 0], x)
            T.wait_flag("v", "mte2", 0)
            T.barrier_all()
            T.copy(x, C[row, 0])


@T.prim_func
def no_block_has_a_tail(A: T.Tensor((1024, 64), "float16"), C: T.Tensor((1024, 64), "float16")):
    with T.Kernel(32, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 64), "float16")
        with T.Scope("V"):
            row = (cid * 2 + vid) * 16
            T.set_flag("v", "mte2", 0)
            T.copy(A[row, 0], x)
            T.wait_flag("v", "mte2", 0)
            T.barrier_all()
            T.copy(x, C[row, 0])


@T.prim_func
def those_with_a_tail_go_another_way(
    A: T.Tensor((1000, 64), "float16"), C: T.Tensor((1000, 64), "float16")
):
    with T.Kernel(32, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 64), "float16")
        with T.Scope("V"):
            row = (cid * 2 + vid) * 16
            if row + 16 <= 1000:
                T.set_flag("v", "mte2", 0)
                T.copy(A[row, 0], x)
                T.wait_flag("v", "mte2", 0)
            else:
                T.copy(A[row, 0], x)
            T.barrier_all()
            T.copy(x, C[row, 0])


@T.prim_func
def another_id(A: T.Tensor((M, 64), "float16"), C: T.Tensor((M, 64), "float16")):
    with T.Kernel(T.ceildiv(M, 32), is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 64), "float16")
        with T.Scope("V"):
            row = (cid * 2 + vid) * 16
            T.set_flag("v", "mte2", 2)
            T.copy(A[row, 0], x)
            T.wait_flag("v", "mte2", 2)
            T.barrier_all()
            T.copy(x, C[row, 0])


@T.prim_func
def sizes_with_a_rest(A: T.Tensor((M, 64), "float16"), C: T.Tensor((M, 64), "float16")):
    with T.Kernel(T.ceildiv(M, 32), is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 64), "float16")
        with T.Scope("V"):
            row = (cid * 2 + vid) * 16
            T.set_flag("v", "mte2", 0)  # ~ warning[TL402]: V->MTE2 id 0 is held across T.copy
            T.copy(A[row, 0], x)
            T.wait_flag("v", "mte2", 0)
            T.barrier_all()
            T.copy(x, C[row, 0])


@T.prim_func
def whole_tiles_alone(A: T.Tensor((M, 64), "float16"), C: T.Tensor((M, 64), "float16")):
    with T.Kernel(M // 32, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 64), "float16")
        with T.Scope("V"):
            row = (cid * 2 + vid) * 16
            T.set_flag("v", "mte2", 0)
            T.copy(A[row, 0], x)
            T.wait_flag("v", "mte2", 0)
            T.barrier_all()
            T.copy(x, C[row, 0])


@T.prim_func
def in_a_ring(A: T.Tensor((M, 64), "float16"), C: T.Tensor((M, 64), "float16")):
    """The first iterations have none; slot 0 of the others is held where the last one is filled."""
    with T.Kernel(20, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 16, 64), "float16")
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 0)
            T.set_flag("mte3", "mte2", 1)
            T.set_flag("v", "mte2", 0)  # ~ warning[TL402]: V->MTE2 id 0 is held across T.copy
            for t in T.serial(T.ceildiv(M, 640)):
                row = (t * 40 + cid * 2 + vid) * 16
                T.wait_flag("mte3", "mte2", t % 2)
                T.copy(A[row, 0], x[t % 2, :, :])
                T.set_flag("mte2", "mte3", t % 2)
                T.wait_flag("mte2", "mte3", t % 2)
                T.copy(x[t % 2, :, :], C[row, 0])
                T.set_flag("mte3", "mte2", t % 2)
            T.wait_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 1)
            T.wait_flag("v", "mte2", 0)
