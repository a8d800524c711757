"""What one change of a buffer mends is told once, whatever rules it breaks in how many places."""

import tilelang.language as T


def pitch(columns):
    @T.prim_func
    def main(A: T.Tensor((64, columns), "float32"), B: T.Tensor((64, columns), "float32"), C: T.Tensor((64,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            x = T.alloc_ub((8, columns), "float32")
            y = T.alloc_ub((8, columns), "float32")
            s = T.alloc_ub((8,), "float32")
            with T.Scope("V"):
                T.copy(A[vid * 8, 0], x)  # ~ error[TL205]: 8 rows of x with 400 bytes per row
                T.barrier_all()
                T.reduce_sum(x, s, dim=-1)  # for x, too
                T.tile.exp(x, x)
                T.barrier_all()
                T.copy(x, B[vid * 8, 0])
                T.copy(s, C[vid * 8 : vid * 8 + 8])
                T.barrier_all()
                T.copy(A[vid * 8, 0], y)  # ~ error[TL205]: 8 rows of y with 400 bytes per row
                T.barrier_all()
                T.copy(y, B[vid * 8, 0])

    return main


pitch(100)
pitch(104)


@T.prim_func
def reduced_first(A: T.Tensor((64, 100), "float32"), C: T.Tensor((64, 100), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 100), "float32")
        s = T.alloc_ub((8,), "float32")
        with T.Scope("V"):
            T.tile.fill(x, 1.0)
            T.barrier_all()
            T.reduce_sum(x, s, dim=-1)  # ~ error[TL304]: the rows of x are 400 bytes apart
            T.barrier_all()
            T.copy(x, C[vid * 8, 0])


@T.prim_func
def one_size(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "float32")
        c = T.alloc_ub((128,), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.copy(B, b)
            T.barrier_all()
            T.tile.add(c, a, b)  # ~ error[TL302]: a has 64 elements
            T.tile.exp(c, b)
            T.barrier_all()
            T.copy(c, B)


@T.prim_func
def two_sizes(A: T.Tensor((64,), "float32"), B: T.Tensor((32,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((32,), "float32")
        c = T.alloc_ub((128,), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.copy(B, b)
            T.barrier_all()
            T.tile.exp(c, a)  # ~ error[TL302]: a has 64 elements
            T.barrier_all()
            T.tile.exp(c, b)  # ~ error[TL302]: b has 32 elements
            T.barrier_all()
            T.tile.exp(c[0:16], b[0:8])  # ~ error[TL302]: b[0:8] has 8 elements


@T.prim_func
def products(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 32), "float16")
        b = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        d = T.alloc_L0C((32, 64), "float32")
        with T.Scope("C"):
            T.copy(A, a)
            T.copy(B, b)
            T.barrier_all()
            T.gemm_v0(a, b, c, init=True)  # ~ error[TL301]: K is 32 in a (64, 32) but 64 in b
            T.gemm_v0(a, b, c)  # the same K
            T.gemm_v0(b, b, d, init=True)  # ~ error[TL301]: M is 64 in b
            T.barrier_all()
            T.copy(c, C)


@T.prim_func
def dimensions(A: T.Tensor((8, 4, 64), "float32"), B: T.Tensor((8, 4, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((4, 4, 64), "float32")
        y = T.alloc_ub((4, 4, 64), "float32")
        with T.Scope("V"):
            T.copy(A[vid * 4, 0, 0], x)  # ~ error[TL202]: has 3 extents above 1
            T.barrier_all()
            T.copy(x, B[vid * 4, 0, 0])
            T.copy(A[vid * 4, 0, 0], y)  # ~ error[TL202]: has 3 extents above 1


@T.prim_func
def one_type(A: T.Tensor((64, 128), "bfloat16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        half = T.alloc_L0C((64, 64), "float16")
        whole = T.alloc_L0C((64, 64), "int32")
        with T.Scope("C"):
            for k in T.serial(2):
                T.copy(A[0, k * 64], a)  # ~ error[TL303]: A holds bfloat16 and a float16
                T.copy(B[k * 64, 0], b)
                T.barrier_all()
                if k == 0:
                    T.gemm_v0(a, b, half, init=True)  # ~ error[TL301]: half holds float16
                else:
                    T.gemm_v0(a, b, half)
                T.gemm_v0(a, b, whole, init=(k == 0))  # ~ error[TL301]: whole holds int32
                T.barrier_all()
            T.copy(half, C[0, 0])
            T.copy(whole, C[0, 0])


@T.prim_func
def type_of_a_tile(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "bfloat16"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        with T.Scope("C"):
            T.copy(A[0, 0], a)
            T.copy(B[0, 0], b)  # ~ error[TL303]: B holds bfloat16 and b float16
            T.barrier_all()
            T.gemm_v0(a, b, c, init=True)
            T.barrier_all()
            T.copy(c, C[0, 0])


@T.prim_func
def operands_of_another_call(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float16")
        s = T.alloc_ub((64, 64), "float32")
        left = T.alloc_L1((64, 64), "float16")
        total = T.alloc_L0C((64, 64), "float32")
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.barrier_all()
            T.gemm_v0(a, a, s)  # ~ error[TL301]: a lies in UB; operand A of T.gemm_v0 must lie in L1
            T.barrier_all()
            T.copy(s, C[0, 0])
            T.barrier_all()
            T.tile.cast(s, a, "CAST_NONE", 10000)  # ~ error[TL302]: count is 10000
        with T.Scope("C"):
            T.copy(A[0, 0], left)
            T.barrier_all()
            T.gemm_v0(left, left, total, init=True)
            T.gemm_v0(left, left, left)  # ~ error[TL301]: left lies in L1; operand C of T.gemm_v0
            T.barrier_all()
            T.copy(total, C[0, 0])


@T.prim_func
def length_of_a_part(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((512,), "float32")
        g = T.alloc_ub((1024,), "float32")
        with T.Scope("V"):
            T.copy(A[vid * 512], x)
            T.copy(A, g)
            T.barrier_all()
            T.tile.mul(x, x, g[vid * 512 : vid * 512 + 1024])  # ~ error[TL302]: has 1024 elements
            T.barrier_all()
            # A part of 512 elements would not lie in g, either.
            T.tile.mul(x, x, g[vid * 512 + 256 : vid * 512 + 856])  # ~ error[TL308]: reaches 1367
            T.barrier_all()
            T.copy(x, B[vid * 512])
