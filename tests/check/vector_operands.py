"""Vector operations work on the UB only: not on tensors, nor on tiles of the cube core. A buffer is told
once; elements of tensors are scalars, and what takes other memories is no vector operation."""

import tilelang
import tilelang.language as T


@T.prim_func
def tensors(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        row = T.alloc_ub((1, 64), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.barrier_all()
            T.tile.add(a, a, B)
            #                ^ error[TL315]: B lies in GM; src1 of T.tile.add must lie in the UB
            T.tile.exp(a, A[0:64, 0:64])  # ~ error[TL315]: A lies in GM; src0 of T.tile.exp
            T.tile.exp(a, A)
            T.tile.mul(a, a, B[0, 0])
            T.barrier_all()
            T.tile.atomic_add(B, a)


@T.prim_func
def results(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32"), C: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.barrier_all()
            T.tile.fill(B[0:8, 0:64], 0.0)  # ~ error[TL315]: B lies in GM; buffer of T.tile.fill
            T.reduce_sum(a, C, dim=-1)  # ~ error[TL315]: C lies in GM; out of T.reduce_sum


@T.prim_func
def cube(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        with T.Scope("C"):
            T.tile.fill(c, 0.0)  # ~ error[TL315]: c lies in L0C; buffer of T.tile.fill
            T.copy(A, a)
            T.barrier_all()
            T.tile.relu(a, a)  # ~ error[TL315]: a lies in L1; dst of T.tile.relu
            T.barrier_all()
            T.gemm_v0(a, a, c, init=True)
            T.barrier_all()
            T.tile.add(c, c, 1.0)
            T.barrier_all()
            T.copy(c, C)


@T.prim_func
def wrong_half(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        with T.Scope("V"):
            T.tile.relu(a, a)  # ~ error[TL315]: a lies in L1; dst of T.tile.relu must lie in the UB


@tilelang.jit(
    pass_configs={
        tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_COMBINE: True,
        tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_SYNC: True,
        tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
        tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
    }
)
def automatic(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_shared((N, N), "float16")
            c = T.alloc_L0C((N, N), "float32")
            s = T.alloc_shared((N, N), "float32")
            T.copy(A, a)
            T.gemm_v0(a, a, c, init=True)
            T.tile.mul(c, c, 2.0)  # ~ error[TL315]: c lies in L0C; dst of T.tile.mul
            T.copy(c, s)
            T.tile.exp(s, s)
            T.copy(s, C)

    return main


automatic(64)
