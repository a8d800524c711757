"""Element types that no route has a call for, besides those of the first source."""

import tilelang.language as T


@T.prim_func
def masks(A: T.Tensor((16, 64), "float16"), B: T.Tensor((16, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 64), "float16")
        whole = T.alloc_ub((16, 64), "int32")
        bits = T.alloc_ub((16, 64), "float32")
        signed = T.alloc_ub((16, 8), "int8")
        right = T.alloc_ub((16, 8), "uint8")
        with T.Scope("V"):
            T.copy(A, a)
            T.tile.fill(whole, 1)
            T.tile.fill(signed, 1)
            T.barrier_all()
            T.tile.select(a, whole, a, 0.0, "VSEL_TENSOR_SCALAR_MODE")  # ~ error[TL303]: whole holds int32; on A3 selMask of T.tile.select takes
            T.tile.select(a, signed, a, 0.0, "VSEL_TENSOR_SCALAR_MODE")  # ~ error[TL303]: signed holds int8; on A3 selMask
            T.tile.compare(bits, a, 0.0, "GT")  # which the device takes for bytes
            T.tile.compare(right, a, 0.0, "GT")
            T.tile.select(a, right, a, 0.0, "VSEL_TENSOR_SCALAR_MODE")
            T.barrier_all()
            T.copy(a, B)


@T.prim_func
def words(A: T.Tensor((1024,), "int16"), B: T.Tensor((1024,), "int16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((512,), "int16")
        c = T.alloc_ub((512,), "int32")
        d = T.alloc_ub((512,), "uint16")
        with T.Scope("V"):
            T.copy(A[vid * 512], a)
            T.tile.fill(c, 1)
            T.tile.fill(d, 1)
            T.barrier_all()
            T.tile.bitwise_and(a, a, c)  # ~ error[TL303]: c holds int32 and a int16: T.tile.bitwise_and does not convert
            T.tile.bitwise_and(a, a, d)
            T.barrier_all()
            T.copy(a, B[vid * 512])


@T.prim_func
def added(A: T.Tensor((64,), "uint8"), B: T.Tensor((64,), "uint8"), C: T.Tensor((64,), "int8"), D: T.Tensor((64,), "int8")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32,), "uint8")
        c = T.alloc_ub((32,), "int8")
        with T.Scope("V"):
            T.copy(A[vid * 32], a)
            T.copy(C[vid * 32], c)
            T.barrier_all()
            T.tile.atomic_add(B[vid * 32], a)  # ~ error[TL303]: a holds uint8; on A3 T.tile.atomic_add takes
            T.tile.atomic_add(D[vid * 32], c)


@T.prim_func
def filled(A: T.Tensor((16,), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16,), "float16")
        i = T.alloc_ub((16,), "uint8")
        with T.Scope("V"):
            T.tile.createvecindex(i, 0)  # ~ error[TL303]: i holds uint8; on A3 CreateVecIndex takes
            T.tile.createvecindex(a, 0)


@T.prim_func
def out_of_l0c(
    A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "int16"), D: T.Tensor((64, 64), "bfloat16")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        with T.Scope("C"):
            T.copy(A, a)
            T.copy(B, b)
            T.barrier_all()
            T.gemm_v0(a, b, c, init=True)
            T.barrier_all()
            T.copy(c, C)  # ~ error[TL303]: c holds float32 and C int16: the way out of L0C makes float16 and bfloat16 of float32
            T.copy(c, D)
