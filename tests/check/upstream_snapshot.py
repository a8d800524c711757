"""A fragment that vector code uses lies in the UB for us and in L0C for upstream's compiler."""
#@ upstream: snapshot

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        f = T.alloc_fragment((64, 64), "float32")  # ~ warning[TL204]: upstream's compiler puts it in L0C
        with T.Scope("V"):
            T.copy(A, a)
            T.barrier_all()
            T.tile.exp(f, a)
            T.barrier_all()
            T.tile.add(a, a, f)
            T.barrier_all()
            T.copy(a, B)
