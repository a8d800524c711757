"""Arguments that T and tilelang do not have."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_index=[-1])  # ~ error[TL104]: no argument 'out_index'
def factory(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((n,), "float32")
            T.copy(A[0], a)

    return main


@tilelang.jit  # ~ error[TL106]: not the prim_func itself
@T.prim_func
def jitted(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float16")
        T.tile.fill(a, 0.0)


@T.prim_func
def main(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float16", "shared")  # ~ error[TL104]: takes 2 arguments but 3
        T.copy(A, dest=a)  # ~ error[TL104]: no argument 'dest'
        T.copy(A)  # ~ error[TL104]: misses the argument 'dst'
