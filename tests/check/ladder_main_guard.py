"""The main block runs, other guards do not; a call of both kinds of spelling is one instance."""
#@ instance: M=1024, block=128, dtype="float16"

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(M, block, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M,), dtype), B: T.Tensor((M,), dtype)):
        with T.Kernel(M // block, is_npu=True) as (cid, vid):
            a_ub = T.alloc_ub((block,), dtype)
            with T.Scope("V"):
                T.copy(A[cid * block], a_ub)
                T.barrier_all()
                T.tile.mul(a_ub, a_ub, 2.0)
                T.barrier_all()
                T.copy(a_ub, B[cid * block])

    return main


if __name__ == "__main__":
    scale(1024, 128)
else:
    scale(7, 7)
