"""Flags by the map."""

import tilelang
import tilelang.language as T

FLAGS = {"MTE1": {"MTE2": [0, 1]}, "M": {"MTE1": range(2)}}


def finish():
    T.clear_flag(FLAGS)


def start():
    T.init_flag(FLAGS)  # ~ warning[TL109]: T.init_flag is built here but emits nothing


@T.prim_func
def main(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        T.init_flag(FLAGS)
        T.wait_flag("mte1", "mte2", 0)
        T.copy(A, a)
        T.set_flag("mte1", "mte2", 0)
        T.clear_flag(FLAGS)
        T.init_flag(FLAGS)
        start()
        finish()
