"""The size of the second operand."""

import tilelang.language as T


@T.prim_func
def src1(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        b = T.alloc_ub((8, 128), "float16")
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.copy(A[16, 0], b)
            T.barrier_all()
            T.tile.add(a, a, b)
            # ~^ error[TL302]: b has 1024 elements, (8, 128), and the destination a has 2048, (16, 1
            T.barrier_all()
            T.copy(a, B[0, 0])
