"""A tile in the wrong memory, or a scope with the wrong letter, is one fault wherever it shows."""

import tilelang.language as T


@T.prim_func
def operand_in_ub(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        with T.Scope("C"):
            T.copy(A, a)  # beside it
            T.copy(B, b)
            T.barrier_all()
            T.gemm_v0(a, b, c, init=True)  # ~ error[TL301]: a lies in UB; operand A of T.gemm_v0 must lie in L1
            T.barrier_all()
            T.copy(c, C)


@T.prim_func
def sum_in_ub(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        c = T.alloc_ub((64, 64), "float32")
        with T.Scope("C"):
            T.copy(A, a)
            T.copy(B, b)
            T.barrier_all()
            T.gemm_v0(a, b, c, init=True)  # ~ error[TL301]: c lies in UB; operand C of T.gemm_v0 must lie in L0C
            T.barrier_all()
            T.copy(c, C)  # out of L0C it would convert


@T.prim_func
def sum_in_l1(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L1((64, 64), "float32")
        with T.Scope("C"):
            T.copy(A, a)
            T.barrier_all()
            T.gemm_v0(a, a, c, init=True)  # ~ error[TL301]: c lies in L1; operand C of T.gemm_v0 must lie in L0C
            T.barrier_all()
            T.copy(c, C)  # from there a path would lead


@T.prim_func
def vector_in_l1(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_ub((64, 64), "float16")
        with T.Scope("V"):
            T.copy(A, a)
            T.barrier_all()
            T.tile.exp(b, a)  # ~ error[TL315]: a lies in L1
            T.barrier_all()
            T.copy(b, C)


@T.prim_func
def letter_of_vectors(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float16")
        b = T.alloc_ub((64, 64), "float16")
        # ~v error[TL307]: Scope("C") is code of the cube core, and all tiles in it lie in memory of the vector cores: a and b
        with T.Scope("C"):
            T.copy(A, a)
            T.barrier_all()
            for k in T.serial(4):
                T.tile.exp(b[k * 16, :], a[k * 16, :])
            T.barrier_all()
            T.copy(b, C)


@T.prim_func
def letter_of_the_cube(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        with T.Scope("V"):  # ~ error[TL307]: Scope("V") is code of the vector cores, and all tiles in it lie in memory of the cube core: a and c
            T.copy(A, a)
            T.barrier_all()
            T.gemm_v0(a, a, c, init=True)
            T.barrier_all()
            T.copy(c, C)
