"""With upstream's split of the cores, stores of single elements reach the vector cores in the UB only."""

import tilelang
import tilelang.language as T

FP = "float32"


def build(combined):
    @tilelang.jit(
        out_idx=[1],
        pass_configs={
            "tl.ascend_auto_sync": True,
            "tl.ascend_memory_planning": True,
            "tl.ascend_auto_cv_combine": combined,
        },
    )
    def kernel(n):
        @T.prim_func
        def main(A: T.Tensor((n,), FP), B: T.Tensor((n,), FP)):
            with T.Kernel(n // 64, is_npu=True) as (cid, vid):
                a = T.alloc_ub((64,), FP)
                constant = T.alloc_var(FP, init=2.0)
                turn = T.alloc_var("int32", init=0)
                T.copy(A[cid * 64], a)
                T.tile.mul(a, a, constant)
                for i in T.Parallel(64):
                    a[i] = a[i] + 1.0
                turn = turn + 1  # ~ warning[TL417]: keeps this store to turn on the cube core alone, and vector code reads turn as it was before
                if turn > 0:
                    T.tile.exp(a, a)
                T.copy(a, B[cid * 64])
                B[cid * 64] = a[0]

        return main

    return kernel(256)


build(True)
build(False)


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_cv_combine": True, "tl.ascend_auto_sync": True})
def elements(n):
    @T.prim_func
    def main(A: T.Tensor((n,), FP), B: T.Tensor((n,), FP)):
        with T.Kernel(n // 64, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), FP)
            T.copy(A[cid * 64], a)
            for i in T.serial(64):
                B[cid * 64 + i] = a[i]
                # ~^ warning[TL417]: keeps this store to B on the cube core alone, which does not have what it stores

    return main


elements(256)


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_cv_combine": True, "tl.ascend_auto_sync": True})
def tiles(n):
    @T.prim_func
    def main(A: T.Tensor((n,), FP), B: T.Tensor((n,), FP)):
        with T.Kernel(n // 64, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), FP)
            T.copy(A[cid * 64], a)
            for i in T.Parallel(64):
                B[cid * 64 + i] = a[i] * 2.0

    return main


tiles(256)
