"""A tile that nothing has written."""

import tilelang.language as T


@T.prim_func
def unwritten(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 128), "float16")
        b = T.alloc_ub((16, 128), "float16")
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.barrier_all()
            T.tile.add(a, a, b)
            # ~^ info[TL321]: b is read here, and nothing in the kernel writes it
            T.barrier_all()
            T.copy(a, B[0, 0])
