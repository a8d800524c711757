"""alloc_shared that only elements are taken of."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def of_shared(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a = T.alloc_shared((64,), "float32")
            # ~^ warning[TL204]: a is accessed element by element and is kept in the UB; upstream's
            b = T.alloc_ub((64,), "float32")
            T.copy(A[cid * 64], b)
            for i in T.serial(64):
                a[i] = b[i] + 1.0
            for i in T.serial(64):
                b[i] = a[63 - i]
            T.copy(b, B[cid * 64])

    return main


of_shared(256)
