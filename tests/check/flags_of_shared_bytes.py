"""Two tiles that T.annotate_address lets share bytes: what touches one is ordered with the other, too."""

import tilelang.language as T

F = "float32"


@T.prim_func
def stored_too_late(A: T.Tensor((128, 128), F), C: T.Tensor((128, 256), F)):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 128), F)
        y = T.alloc_ub((8, 128), F)
        T.annotate_address({x: 0, y: 0})
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r, 0], x)
            T.barrier_all()
            T.copy(x, C[r, 0])
            T.tile.fill(y, 1.0)  # ~ error[TL406]: y: V writes it here, MTE3 reads x of the same bytes in T.copy, and nothing makes V wait
            T.barrier_all()
            T.copy(y, C[r, 128])


@T.prim_func
def loaded_too_early(A: T.Tensor((128, 128), F), B: T.Tensor((128, 128), F), C: T.Tensor((128, 128), F)):
    """Of other types and sizes, and in part."""
    with T.Kernel(8, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 128), F)
        y = T.alloc_ub((8, 128), F)
        z = T.alloc_ub((16, 128), F)
        T.annotate_address({x: 0, y: 16384, z: 2048})
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r, 0], x)
            T.barrier_all()
            T.tile.exp(y, x)
            T.copy(B[r, 0], z[0:8, :])  # ~ error[TL406]: z: MTE2 writes it here, V reads x of the same bytes in T.tile.exp, and nothing makes MTE2 wait
            T.barrier_all()
            T.tile.add(y, y, z[0:8, :])
            T.barrier_all()
            T.copy(y, C[r, 0])


@T.prim_func
def of_the_next_turn(A: T.Tensor((512, 128), F), C: T.Tensor((512, 128), F)):
    """What an iteration stores, the next one loads over."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 128), F)
        y = T.alloc_ub((8, 128), F)
        z = T.alloc_ub((8, 128), F)
        T.annotate_address({x: 0, y: 8192, z: 0})
        with T.Scope("V"):
            T.set_flag("v", "mte2", 1)
            for i in T.serial(32):
                T.wait_flag("v", "mte2", 1)
                T.copy(A[(vid * 32 + i) * 8, 0], x)  # ~ error[TL406]: x: MTE2 writes it here, MTE3 reads z of the same bytes in T.copy of an earlier iteration
                T.set_flag("mte2", "v", 1)
                T.wait_flag("mte2", "v", 1)
                T.tile.exp(y, x)
                T.set_flag("v", "mte2", 1)
                T.tile.mul(z, y, y)
                T.set_flag("v", "mte3", 1)
                T.wait_flag("v", "mte3", 1)
                T.copy(z, C[(vid * 32 + i) * 8, 0])
            T.wait_flag("v", "mte2", 1)


@T.prim_func
def on_the_cube(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((128, 64), F)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        l0a = T.alloc_L0A((64, 64), "float16")
        l0b = T.alloc_L0B((64, 64), "float16")
        c = T.alloc_L0C((64, 64), F)
        T.annotate_address({a: 0, b: 0})
        with T.Scope("C"):
            T.copy(A, a)
            T.barrier_all()
            T.copy(a, l0a)
            T.copy(B, b)  # ~ error[TL406]: b: MTE2 writes it here, MTE1 reads a of the same bytes in T.copy, and nothing makes MTE2 wait
            T.barrier_all()
            T.copy(b, l0b)
            T.barrier_all()
            T.mma(l0a, l0b, c, init=True)
            T.barrier_all()
            T.copy(c, C[0, 0])


@T.prim_func
def ordered(A: T.Tensor((128, 128), F), C: T.Tensor((128, 256), F)):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 128), F)
        y = T.alloc_ub((8, 128), F)
        T.annotate_address({x: 0, y: 0})
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r, 0], x)
            T.set_flag("mte2", "mte3", 0)
            T.wait_flag("mte2", "mte3", 0)
            T.copy(x, C[r, 0])
            T.set_flag("mte3", "v", 0)
            T.wait_flag("mte3", "v", 0)
            T.tile.fill(y, 1.0)
            T.barrier_all()
            T.copy(y, C[r, 128])


@T.prim_func
def beside_each_other(A: T.Tensor((128, 128), F), C: T.Tensor((128, 256), F)):
    """The parts that are in use at one time have no byte in common."""
    with T.Kernel(8, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 128), F)
        y = T.alloc_ub((8, 128), F)
        T.annotate_address({x: 0, y: 4096})
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r, 0], x[0:8, :])
            T.barrier_all()
            T.copy(x[0:8, :], C[r, 0])
            T.tile.fill(y, 1.0)
            T.barrier_all()
            T.copy(y, C[r, 128])


@T.prim_func
def columns(A: T.Tensor((128, 128), F), C: T.Tensor((128, 256), F)):
    """A part of each row: what is behind the first of them the other tile does not reach."""
    with T.Kernel(8, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 128), F)
        y = T.alloc_ub((1, 64), F)
        T.annotate_address({x: 0, y: 256})
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.copy(A[r : r + 8, 0:64], x[:, 0:64])
            T.barrier_all()
            T.copy(x[:, 0:64], C[r : r + 8, 0:64])
            T.tile.fill(y, 1.0)
            T.barrier_all()
            T.copy(y, C[r, 128])
