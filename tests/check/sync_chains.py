"""An order that leads over a third pipe: without one of its waits there is one fault, the set that nobody
waits for."""

import tilelang
import tilelang.language as T

FP = "float32"


def copies(complete):
    """From one store to the next load over the scalar unit."""

    @tilelang.jit(out_idx=[-1])
    def factory(N):
        @T.prim_func
        def main(A: T.Tensor((N,), FP), B: T.Tensor((N,), FP)):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_ub((128,), FP)
                with T.Scope("V"):
                    for t in T.serial(N // 128):
                        T.copy(A[t * 128], a)
                        T.set_flag("mte2", "v", 1)
                        T.wait_flag("mte2", "v", 1)
                        T.tile.abs(a, a)
                        T.set_flag("v", "mte3", 1)
                        T.wait_flag("v", "mte3", 1)
                        T.copy(a, B[t * 128])
                        T.set_flag("mte3", "s", 1)  # ~ error[TL404]: set again before anybody
                        if complete:
                            T.wait_flag("mte3", "s", 1)
                        T.set_flag("s", "mte2", 1)
                        T.wait_flag("s", "mte2", 1)

        return main

    return factory


copies(True)(1024)
copies(False)(1024)
