"""A barrier in a loop whose length only the device knows: what it orders is loose where the loop does not
run, and that nobody knows."""

import tilelang.language as T

FP = "float32"


@T.prim_func
def in_the_loop(
    X: T.Tensor((64, 256), FP), N: T.Tensor((64,), "int32"), Y: T.Tensor((64, 256), FP)
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((1, 256), FP)
        h = T.alloc_ub((1, 256), FP)
        with T.Scope("V"):
            if N[63] >= 0:
                T.tile.fill(x, 1.0)
                T.barrier_all()
            for i in T.serial(64):
                for j in T.serial(N[i]):
                    T.barrier_all()
                    T.copy(X[j, 0], x)
                    T.set_flag("mte2", "v", 0)
                    T.wait_flag("mte2", "v", 0)
                    T.tile.add(x, x, x)
                T.tile.fill(h, 1.0)
                T.set_flag("v", "mte3", 0)
                T.wait_flag("v", "mte3", 0)
                T.copy(h, Y[i, 0])


@T.prim_func
def nowhere(X: T.Tensor((64, 256), FP), N: T.Tensor((64,), "int32"), Y: T.Tensor((64, 256), FP)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((1, 256), FP)
        h = T.alloc_ub((1, 256), FP)
        with T.Scope("V"):
            for i in T.serial(64):
                for j in T.serial(N[i]):
                    T.tile.fill(x, 1.0)
                T.tile.fill(h, 1.0)  # ~ error[TL406]: h: V writes it here, MTE3 reads it in T.copy of an earlier iteration
                T.set_flag("v", "mte3", 0)
                T.wait_flag("v", "mte3", 0)
                T.copy(h, Y[i, 0])
