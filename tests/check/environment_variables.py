"""A default that the author gives an environment variable is its value."""
#@ instance: block=64, rows=128
#@ instance: block=16, rows=32

import os
from os import environ, getenv

import tilelang
import tilelang.language as T

BLOCK = int(os.environ.get("BLOCK", "64"))
SMALL = int(getenv("SMALL", default="16"))
ROWS = int(environ.get("ROWS", str(BLOCK * 2)))
OTHER = os.environ.get("OTHER")


@tilelang.jit(out_idx=[-1])
def scale(block, rows):
    @T.prim_func
    def main(A: T.Tensor((rows, 64), "float16"), B: T.Tensor((rows, 64), "float16")):
        with T.Kernel(rows // block, is_npu=True) as (cid, vid):
            a = T.alloc_ub((block, 64), "float16")
            with T.Scope("V"):
                if vid == 0:
                    T.copy(A[cid * block, 0], a)
                    T.barrier_all()
                    T.copy(a, B[cid * block, 0])

    return main


scale(BLOCK, ROWS)
scale(SMALL, 32)
if "MORE" in os.environ:
    print(os.environ["MORE"], OTHER)
