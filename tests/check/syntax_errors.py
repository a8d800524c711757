"""Lines that do not parse are told, each once; every other kernel is checked."""

import tilelang.language as T

x = )  # ~ error[TL101]: unmatched ')'


@T.prim_func
def first(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        T.copy(A, a))  # ~ error[TL101]: unmatched ')'
        T.tile.fill(a, 0.0)
        T.barrier_all()
        T.copy(a, A)


@T.prim_func
def second(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 32), "float32")
        for i in range(4)  # ~ error[TL101]: expected ':'
            T.tile.fill(a, 0.0)
        T.copy(A, a)  # ~ error[TL202]: same shape
