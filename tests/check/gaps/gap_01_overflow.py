"""Memory that is too small, with planning off."""

import tilelang.language as T


@T.prim_func
def ub(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((256, 256), "float16")
        b = T.alloc_ub((256, 256), "float16")
        # ~^ error[TL503]: a and b take 262144 bytes of UB, but only 196352 can be planned (196608 l
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.barrier_all()
            T.copy(a, b)
            T.barrier_all()
            T.copy(b, B[0, 0])


@T.prim_func
def L1(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((512, 1024), "float16")
        # ~^ error[TL501]: a and b take 2097152 bytes of L1, but only 524032 can be planned (524288
        b = T.alloc_L1((512, 1024), "float16")
        with T.Scope("C"):
            T.copy(A[0, 0], a)
            T.copy(B[0, 0], b)


@T.prim_func
def L0A(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L0A((256, 256), "float16")
        # ~^ error[TL502]: a and b take 262144 bytes of L0A, but only 65536 can be planned
        b = T.alloc_L0A((256, 256), "float16")
        with T.Scope("C"):
            x = T.alloc_L1((256, 256), "float16")
            T.copy(A[0, 0], x)
            T.barrier_all()
            T.copy(x, a)
            T.copy(x, b)


@T.prim_func
def L0C(
    A: T.Tensor((1024, 1024), "float16"),
    B: T.Tensor((1024, 1024), "float16"),
    C: T.Tensor((1024, 1024), "float32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L0C((512, 256), "float16")
        # ~^ error[TL502]: a and b take 524288 bytes of L0C, but only 131072 can be planned
        b = T.alloc_L0C((512, 256), "float16")
        with T.Scope("C"):
            T.copy(a, C[0, 0])
            T.copy(b, C[0, 0])
