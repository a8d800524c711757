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
        T.copy(A, a)  # what is left of a damaged kernel may be other than what is meant


@T.prim_func
def third(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((64, 32), "float32")  # ~ hint x: float32[64,32] UB 8 KiB
        T.copy(A, x)  # ~ error[TL202]: same shape


@T.prim_func
def flags(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.set_flag("mte2", "v" 0)  # ~ error[TL101]: invalid syntax
            T.wait_flag("mte2", "v", 0)  # its set is left out: nothing is told of the order
            T.tile.exp(a, a)
            T.barrier_all()
            T.copy(a, A)


def factory(rows):
    rows = rows 2  # ~ error[TL101]: invalid syntax

    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(rows // 64, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), "float32")
            T.copy(A[cid, 0], a)

    return main


factory(32)
return factory  # ~ error[TL101]: 'return' outside function
