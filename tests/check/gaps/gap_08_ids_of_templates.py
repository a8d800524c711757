"""Flags that a template uses, too."""

import tilelang.language as T


@T.prim_func
def gemm(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_L1((64, 128), "float16")
        y = T.alloc_L1((128, 64), "float16")
        z = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], x)
            T.copy(B[0, 0], y)
            T.barrier_all()
            T.set_flag("mte1", "mte2", 0)
            # ~^ warning[TL402]: MTE1->MTE2 id 0 is held across T.gemm_v0, whose template sets it, t
            T.gemm_v0(x, y, c, init=True)
            T.wait_flag("mte1", "mte2", 0)
            T.copy(B[0, 0], z)
            T.barrier_all()
            T.gemm_v0(x, z, c)
            T.barrier_all()
            T.copy(c, C[0, 0])
