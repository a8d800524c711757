"""Vector loops that our compiler and AscendNPU IR both plan and synchronise. Each call is a case."""

import tilelang
import tilelang.language as T

AUTOMATIC = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
}


@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def chain(m, n, dtype="float32"):
    """Element-wise operations, every one into a tile of its own."""

    @T.prim_func
    def main(x: T.Tensor((m, n), dtype), y: T.Tensor((m, n), dtype), z: T.Tensor((m, n), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((m, n), dtype)
            b = T.alloc_ub((m, n), dtype)
            c = T.alloc_ub((m, n), dtype)
            d = T.alloc_ub((m, n), dtype)
            e = T.alloc_ub((m, n), dtype)
            T.copy(x, a)
            T.copy(y, b)
            T.tile.add(c, a, b)
            T.tile.exp(d, c)
            T.tile.mul(e, d, a)
            T.copy(e, z)

    return main


@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def swish(m, n, rows, stages, dtype="float32"):
    """A loop, with or without double buffering."""

    @T.prim_func
    def main(x: T.Tensor((m, n), dtype), y: T.Tensor((m, n), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, n), dtype)
            b = T.alloc_ub((rows, n), dtype)
            c = T.alloc_ub((rows, n), dtype)
            for i in T.Pipelined(m // rows, num_stages=stages):
                T.copy(x[i * rows, 0], a)
                T.tile.mul(b, a, -1.0)
                T.tile.exp(b, b)
                T.tile.add(b, b, 1.0)
                T.tile.div(c, a, b)
                T.copy(c, y[i * rows, 0])

    return main


@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def add(m, n, rows, stages, dtype="float32"):
    """Two inputs a turn."""

    @T.prim_func
    def main(x: T.Tensor((m, n), dtype), y: T.Tensor((m, n), dtype), z: T.Tensor((m, n), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, n), dtype)
            b = T.alloc_ub((rows, n), dtype)
            c = T.alloc_ub((rows, n), dtype)
            for i in T.Pipelined(m // rows, num_stages=stages):
                T.copy(x[i * rows, 0], a)
                T.copy(y[i * rows, 0], b)
                T.tile.add(c, a, b)
                T.copy(c, z[i * rows, 0])

    return main


@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def softmax(m, n, rows, stages, dtype="float32"):
    """Two reductions along rows, with their scratch."""

    @T.prim_func
    def main(x: T.Tensor((m, n), dtype), y: T.Tensor((m, n), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, n), dtype)
            top = T.alloc_ub((rows, 1), dtype)
            total = T.alloc_ub((rows, 1), dtype)
            wide = T.alloc_ub((rows, n), dtype)
            for i in T.Pipelined(m // rows, num_stages=stages):
                T.copy(x[i * rows, 0], a)
                T.reduce_max(a, top, dim=-1)
                T.tile.broadcast(wide, top)
                T.tile.sub(a, a, wide)
                T.tile.exp(a, a)
                T.reduce_sum(a, total, dim=-1)
                T.tile.broadcast(wide, total)
                T.tile.div(a, a, wide)
                T.copy(a, y[i * rows, 0])

    return main


@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def running_max(m, n, rows, stages, dtype="float32"):
    """A tile that is carried from turn to turn, and stored after the loop."""

    @T.prim_func
    def main(x: T.Tensor((m, n), dtype), y: T.Tensor((rows, n), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, n), dtype)
            top = T.alloc_ub((rows, n), dtype)
            T.tile.fill(top, -1.0e30)
            for i in T.Pipelined(m // rows, num_stages=stages):
                T.copy(x[i * rows, 0], a)
                T.tile.max(top, top, a)
            T.copy(top, y)

    return main


@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def rms_norm(m, n, rows, stages):
    """Halves that are widened, a reduction, and narrowed again."""

    @T.prim_func
    def main(x: T.Tensor((m, n), "float16"), y: T.Tensor((m, n), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            half = T.alloc_ub((rows, n), "float16")
            a = T.alloc_ub((rows, n), "float32")
            square = T.alloc_ub((rows, n), "float32")
            total = T.alloc_ub((rows, 1), "float32")
            for i in T.Pipelined(m // rows, num_stages=stages):
                T.copy(x[i * rows, 0], half)
                T.copy(half, a)
                T.tile.mul(square, a, a)
                T.reduce_sum(square, total, dim=-1)
                T.tile.mul(total, total, 0.001)
                T.tile.rsqrt(total, total)
                T.tile.broadcast(square, total)
                T.tile.mul(a, a, square)
                T.copy(a, half)
                T.copy(half, y[i * rows, 0])

    return main


chain(16, 256)
chain(32, 512, "float16")
swish(96, 256, 16, 1)
swish(96, 256, 16, 2)
swish(40, 1024, 8, 2, "float16")
add(64, 512, 16, 1)
add(96, 512, 16, 2)
add(96, 256, 16, 3)
softmax(64, 128, 16, 1)
softmax(96, 256, 16, 2)
softmax(32, 1024, 8, 2)
running_max(96, 256, 16, 1)
running_max(80, 512, 16, 2)
rms_norm(64, 512, 16, 1)
rms_norm(96, 256, 16, 2)
