"""Host code around factories as people write it: classes, lambdas, comprehensions, try, caches."""
#@ instance: n=128, block=32, dtype="float16", scale=2
#@ instance: n=64, block=16, dtype="float32", scale=3

import tilelang
import tilelang.language as T

import functools
import itertools
import math
import os
import sys

import tilelang
import tilelang.language as T

try:
    import torch_npu
except ImportError:
    torch_npu = None

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
DEBUG = os.environ.get("DEBUG", "0") == "1"


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        print("building", args, kwargs)
        return function(*args, **kwargs)

    return wrapper


@functools.lru_cache(maxsize=None)
def block_of(n, parts=4):
    return max(8, n // parts)


choose = lambda n, *rest, **options: options.get("block") or block_of(n)


@logged
def build(n, block=None, dtype="float16", *, scale=2):
    if block is None:
        block = choose(n)
    return make(n, block, dtype, scale)


@tilelang.jit(out_idx=[-1])
def make(n, block, dtype, scale):
    parts = [i for i in range(n) if i % block == 0]
    names = {k: v for k, v in zip("abc", parts)}
    tiles = list(itertools.product([1, 2], repeat=1)) if DEBUG else [(1,), (2,)]
    assert len(names) <= 3 and len(tiles) == 2, "shape"
    rows = int(math.sqrt(scale * scale))

    @T.prim_func
    def main(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype)):
        with T.Kernel(len(parts), is_npu=True) as (cid, vid):  # ~ hint cid: 0..3 # ~ hint vid: 0..1
            a = T.alloc_ub((block,), dtype)
            T.copy(A[cid * block], a)
            T.barrier_all()
            T.tile.mul(a, a, float(rows))
            T.barrier_all()
            T.copy(a, B[cid * block])

    return main


if __name__ == "__main__":
    build(128)
    for n in (64,):
        build(n, dtype="float32", scale=3)
