"""A plain function that builds a tile call: it takes effect where the kernel states its result."""

import tilelang.language as T


def load(source, target):
    return T.copy(source, target)


def steps(a, count):
    for i in range(count):  # runs while the kernel is built: unrolled
        twice(a)


def twice(a):
    return T.tile.mul(a, a, 2.0)


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        load(A, a)
        T.barrier_all()
        twice(a)
        T.barrier_all()
        T.copy(a, B)
