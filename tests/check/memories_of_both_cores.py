"""What no core can use where it ended is an error, told once, whatever else follows from it."""

import tilelang
import tilelang.language as T

CONFIGS = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_COMBINE: True,
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_SYNC: True,
}


@tilelang.jit(out_idx=[-1], pass_configs=CONFIGS)
def operand(N=64):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=2, is_npu=True) as cid:
            a = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.gemm_v0(a, a, c, init=True)
            T.tile.exp(a, a)
            #          ^ error[TL204]: no memory serves both
            T.tile.add(a, a, 1.0)
            T.copy(c, C)

    return main


@tilelang.jit(out_idx=[0], pass_configs=CONFIGS)
def stored(N=64):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=2, is_npu=True) as cid:
            a = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.gemm_v0(a, a, c, init=True)
            T.copy(c, C)
            T.tile.exp(a, a)  # ~ error[TL204]: no memory serves both
            T.copy(a, A)

    return main


@tilelang.jit(out_idx=[-1], pass_configs=CONFIGS)
def accumulator(N=64):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=2, is_npu=True) as cid:
            a = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.gemm_v0(a, a, c, init=True)
            T.tile.mul(c, c, 2.0)  # ~ error[TL204]: c is operand C of T.gemm_v0, so it lies in L0C
            T.copy(c, C)

    return main


@tilelang.jit(out_idx=[-1], pass_configs=CONFIGS)
def remote(N=64):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), "float32")
            T.copy(A, a)
            T.shmem_put_nbi(a, A, 64, 0)  # ~ error[TL315]: a lies in UB; dst of T.shmem_put_nbi must lie in GM
            T.copy(a, C)

    return main


operand(), stored(), accumulator(), remote()
