"""Addresses of the author: aligned, and shared only by what does not live at one time."""

import tilelang
import tilelang.language as T


def build(planning, first, second):
    @tilelang.jit(pass_configs={"tl.ascend_memory_planning": planning, "tl.ascend_auto_sync": True})
    def kernel():
        @T.prim_func
        def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_ub((64, 64), "float32")  # ~ error[TL504]: shall lie at byte 100 of UB
                b = T.alloc_ub((64, 64), "float32")  # ~ error[TL504]: bytes 8192 to 16384
                c = T.alloc_ub((64, 64), "float32")
                T.annotate_address({a: first, b: second, c: first // 32 * 32})
                with T.Scope("V"):
                    T.copy(A, a)
                    T.tile.exp(b, a)
                    T.copy(b, B)
                    T.copy(A, c)  # when a holds nothing any more
                    T.copy(c, B)

        return main

    return kernel()


build(True, 0, 8192)
build(False, 0, 8192)
build(True, 100, 32768)
build(True, 0, 16384)
