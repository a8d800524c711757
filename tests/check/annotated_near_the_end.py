"""Where only annotated addresses stand against a plan, the message says so."""

import tilelang
import tilelang.language as T


def build(planning, first, second):
    @tilelang.jit(pass_configs={"tl.ascend_memory_planning": planning, "tl.ascend_auto_sync": True})
    def kernel():
        @T.prim_func
        def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_ub((64, 64), "float32")
                b = T.alloc_ub((64, 64), "float32")  # ~ error[TL503]: shall lie at byte 190016 of UB and takes 16384 bytes: it ends at byte 206400, behind the last one, 196608
                c = T.alloc_ub((64, 64), "float32")  # ~ error[TL503]: c takes 16384 bytes of UB, for which the annotated addresses of a and b leave no room
                T.annotate_address({a: first, b: second})
                with T.Scope("V"):
                    T.copy(A, a)
                    T.tile.exp(b, a)
                    T.tile.exp(c, b)
                    T.copy(c, B)

        return main

    return kernel()


build(True, 0, 16384)
build(True, 0, 190016)
build(False, 0, 180000 // 32 * 32)
