"""A scalar operand that lies in a tile: the program has a full barrier before it is read, on route pto a
flag from V. Other scalars are read as they stand."""

import tilelang
import tilelang.language as T

FP = "float32"


@tilelang.jit(out_idx=[-1])
def computed(N):
    @T.prim_func
    def main(X: T.Tensor((N, 256), FP), Y: T.Tensor((N, 256), FP)):
        with T.Kernel(N, is_npu=True) as (cid, vid):
            x = T.alloc_ub((1, 256), FP)
            f = T.alloc_ub((1, 8), FP)
            with T.Scope("V"):
                T.copy(X[cid, 0], x)
                T.set_flag("mte2", "v", 1)
                T.wait_flag("mte2", "v", 1)
                T.reduce_max(x, f[0, 0:1], dim=-1)
                T.tile.mul(x, x, f[0, 0])
                T.set_flag("v", "mte3", 1)
                T.wait_flag("v", "mte3", 1)
                T.copy(x, Y[cid, 0])

    return main


computed(64)


@tilelang.jit(out_idx=[-1], target="pto")
def computed_on_pto(N):
    @T.prim_func
    def main(X: T.Tensor((N, 256), FP), Y: T.Tensor((N, 256), FP)):
        with T.Kernel(N, is_npu=True) as (cid, vid):
            x = T.alloc_ub((1, 256), FP)
            f = T.alloc_ub((1, 8), FP)
            with T.Scope("V"):
                T.copy(X[cid, 0], x)
                T.set_flag("mte2", "v", 1)
                T.wait_flag("mte2", "v", 1)
                T.reduce_max(x, f[0, 0:1], dim=-1)
                T.tile.mul(x, x, f[0, 0])
                T.set_flag("v", "mte3", 1)
                T.wait_flag("v", "mte3", 1)
                T.copy(x, Y[cid, 0])

    return main


computed_on_pto(64)


@tilelang.jit(out_idx=[-1])
def loaded(N):
    """The barrier orders what the call reads otherwise, too."""

    @T.prim_func
    def main(X: T.Tensor((N, 256), FP), F: T.Tensor((N, 8), FP), Y: T.Tensor((N, 256), FP)):
        with T.Kernel(N, is_npu=True) as (cid, vid):
            x = T.alloc_ub((1, 256), FP)
            f = T.alloc_ub((1, 8), FP)
            m = T.alloc_ub((32,), "uint8")
            with T.Scope("V"):
                T.copy(X[cid, 0], x)
                T.copy(F[cid, 0], f)
                T.tile.compare(m, x, f[0, 0], "LT")
                T.tile.mul(x, x, f[0, 0])
                T.set_flag("v", "mte3", 1)
                T.wait_flag("v", "mte3", 1)
                T.copy(x, Y[cid, 0])

    return main


loaded(64)


@tilelang.jit(out_idx=[-1], target="pto")
def loaded_on_pto(N):
    """The flag from V orders nothing that MTE2 writes."""

    @T.prim_func
    def main(X: T.Tensor((N, 256), FP), F: T.Tensor((N, 8), FP), Y: T.Tensor((N, 256), FP)):
        with T.Kernel(N, is_npu=True) as (cid, vid):
            x = T.alloc_ub((1, 256), FP)
            f = T.alloc_ub((1, 8), FP)
            with T.Scope("V"):
                T.copy(X[cid, 0], x)
                T.set_flag("mte2", "v", 1)
                T.wait_flag("mte2", "v", 1)
                T.copy(F[cid, 0], f)
                T.tile.mul(x, x, f[0, 0])  # ~ error[TL406]: f: S reads it here, MTE2 writes it in T.copy
                T.set_flag("v", "mte3", 1)
                T.wait_flag("v", "mte3", 1)
                T.copy(x, Y[cid, 0])

    return main


loaded_on_pto(64)


@tilelang.jit(out_idx=[-1])
def no_operand(N):
    """What a fill or a condition takes is read without a barrier."""

    @T.prim_func
    def main(X: T.Tensor((N, 256), FP), Y: T.Tensor((N, 256), FP)):
        with T.Kernel(N, is_npu=True) as (cid, vid):
            x = T.alloc_ub((1, 256), FP)
            y = T.alloc_ub((1, 256), FP)
            f = T.alloc_ub((1, 8), FP)
            with T.Scope("V"):
                T.copy(X[cid, 0], x)
                T.set_flag("mte2", "v", 1)
                T.wait_flag("mte2", "v", 1)
                T.reduce_max(x, f[0, 0:1], dim=-1)
                T.tile.fill(y, f[0, 0])  # ~ error[TL406]: f: S reads it here, V writes it in T.reduce_max
                T.set_flag("v", "mte3", 1)
                T.wait_flag("v", "mte3", 1)
                T.copy(y, Y[cid, 0])

    return main


no_operand(64)


@tilelang.jit(out_idx=[-1])
def only_inside(N):
    """A barrier of the program's own is no synchronisation of the author's: nothing at all is one fault."""

    @T.prim_func
    def main(X: T.Tensor((N, 256), FP), Y: T.Tensor((N, 256), FP)):
        with T.Kernel(N, is_npu=True) as (cid, vid):
            x = T.alloc_ub((1, 256), FP)
            y = T.alloc_ub((1, 256), FP)
            with T.Scope("V"):
                T.copy(X[cid, 0], x)
                T.tile.mul(y, x, x[0, 0])
                T.tile.exp(x, x)
                T.copy(y, Y[cid, 0])  # ~ error[TL406]: y: MTE3 reads it here, V writes it in T.tile.mul
                T.copy(x, Y[cid, 0])

    return main


only_inside(64)


@T.prim_func
def one_index_of_two(X: T.Tensor((4, 256), FP), Y: T.Tensor((4, 256), FP)):
    """The program is not emitted, and that is no fault of the compiler's."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((4, 256), FP)
        with T.Scope("V"):
            T.copy(X[0, 0], x)
            T.barrier_all()
            T.tile.sub(x, x, x[0])  # ~ error[TL106]: x is 2-dimensional, (4, 256), and is given 1 index
            T.barrier_all()
            T.copy(x, Y[0, 0])
