"""A T.Parallel body that becomes one operation for each element."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def of_scalar(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), "float32")
            b = T.alloc_ub((64,), "float32")
            T.copy(A[cid * 64], a)
            for i in T.Parallel(64):
            # ~^ info[TL801]: upstream's compiler makes 64 scalar operations, one element after the other: a is read with the step -1
                b[i] = a[63 - i]
            T.copy(b, B[cid * 64])

    return main


of_scalar(256)
