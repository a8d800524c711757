"""What one change of a declaration, an index or a name mends is one fault, wherever it shows."""
#@ kernels: 12

import tilelang
import tilelang.language as T


@T.prim_func
def columns(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 32), "float32")
        u = T.alloc_ub((64, 64), "float32")
        T.copy(A, a)
        T.gemm_v0(a, a, c, init=True)  # ~ error[TL301]: N is 64 in a (64, 64) but 32 in c (64, 32)
        T.copy(c, u)
        T.copy(u, C)


@T.prim_func
def rows(A: T.Tensor((16, 256), "float32"), C: T.Tensor((16, 256), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 256), "float32")
        s = T.alloc_ub((8,), "float32")
        with T.Scope("V"):
            T.copy(A, x)
            T.barrier_all()
            T.reduce_sum(x, s, dim=-1)  # ~ error[TL309]: gives (16,) or (16, 1), not (8,)
            T.barrier_all()
            for i in T.serial(16):
                T.tile.mul(x[i, :], x[i, :], s[i])
            T.barrier_all()
            T.copy(x, C)


@T.prim_func
def slots(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((3, 8, 64), "float32")
        with T.Scope("V"):
            for i in T.serial(4):
                T.copy(A[i * 8, 0], x[i, :, :])  # ~ error[TL308]: x[i, :, :] reaches 3
            T.barrier_all()
            for p in T.serial(4):
                T.copy(x[(p + 1) % 4, :, :], C[p * 8, 0])


@T.prim_func
def width(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 1), "float32")
        row = T.alloc_ub((64,), "float32")
        with T.Scope("V"):
            T.copy(A[vid * 16 : vid * 16 + 8, 0:64], a[0:8, :])  # ~ error[TL202]: but a[0:8, :] has 8
            T.copy(A[vid * 16 + 8 : vid * 16 + 16, 0:64], a[8:16, :])
            T.barrier_all()
            T.copy(a[3, :], row)
            T.barrier_all()
            T.copy(a[0:8, 0:32], C[vid * 16 : vid * 16 + 8, 0:32])
            T.copy(a[0:8, 32:64], C[vid * 16 : vid * 16 + 8, 32:64])


def of_one_name(N, dtype):
    @T.prim_func
    def main(A: T.Tensor((64, N), dtype), C: T.Tensor((64, N), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, N), dtype)
            b = T.alloc_ub((8, N), dtype)
            with T.Scope("V"):
                T.copy(A[vid * 8, 0], a)  # ~ error[TL205]: 8 rows of a with 400 bytes per row
                T.copy(A[vid * 8, 0], b)
                T.barrier_all()
                T.tile.exp(a, a)  # ~ error[TL303]: a holds bfloat16; on A3 Exp takes
                T.tile.abs(b, b)
                T.barrier_all()
                T.copy(a, C[vid * 8, 0])
                T.copy(b, C[vid * 8 + 16, 0])

    return main


of_one_name(100, "float32")
of_one_name(128, "bfloat16")


@T.prim_func
def index(I: T.Tensor((64, 2), "int32"), W: T.Tensor((64, 2), "float32"), O: T.Tensor((64, 512), "float32")):
    with T.Kernel(32, is_npu=True) as (cid, vid):
        o = T.alloc_ub((512,), "float32")
        with T.Scope("V"):
            s = cid * 3 + vid
            T.tile.fill(o, 0.0)
            T.barrier_all()
            T.tile.mul(o, o, W[s, 0])  # ~ error[TL308]: W[cid * 3 + vid, 0] reaches 93
            T.tile.mul(o, o, W[s, 1])
            T.barrier_all()
            T.copy(o, O[I[s, 0], 0:512])


@T.prim_func
def name(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("V"):
            T.copy(A, gone)  # ~ error[TL103]: name 'gone' is not defined
            T.tile.exp(gone, gone)
            T.copy(gone, C)


def lengths(M, K):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((M // 2, 64), "float32")  # ~ error[TL107]: -1 is negative
            b = T.alloc_ub((M // 2,), "float32")
            with T.Scope("V"):
                r = vid * (K // 4)  # ~ error[TL103]: unsupported operand type(s) for //
                s = vid + K // 4
                T.copy(A[r, 0], a)

    return main


lengths(-1, None)


def of_one_step(M, bM):
    @T.prim_func
    def main(A: T.Tensor((M, 64), "float32"), C: T.Tensor((M, 64), "float32")):
        with T.Kernel(M // bM, threads=2, is_npu=True) as cid:  # ~ warning[TL803]: 256 // 63 is 4
            u = T.alloc_shared((bM, 64), "float32")
            d = T.alloc_shared((bM, 64), "float32")
            T.copy(A[cid * bM, 0], u)
            T.copy(A[cid * bM, 0], d)
            for i, j in T.Parallel(bM, 64):
                u[i, j] = u[i, j] + d[i, j]
            T.copy(u, C[cid * bM, 0])

    return main


of_one_step(256, 63)


def of_one_depth(K):
    @T.prim_func
    def main(A: T.Tensor((128, 512), "float16"), C: T.Tensor((128, 128), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L0A((2, 128, K), "float16")  # ~ error[TL502]: a takes 131072 bytes of L0A
            b = T.alloc_L0B((2, K, 128), "float16")
            c = T.alloc_L0C((128, 128), "float32")
            l1 = T.alloc_L1((128, K), "float16")
            with T.Scope("C"):
                T.copy(A[0, 0], l1)
                T.barrier_all()
                T.copy(l1, a[0, :, :])
                T.copy(l1, b[0, :, :], transpose=True)
                T.barrier_all()
                T.mma(a[0, :, :], b[0, :, :], c, init=True)
                T.barrier_all()
                T.copy(c, C)

    return main


of_one_depth(256)


@tilelang.jit(out_idx=[-1])
def rows_of_a_short_tile():
    @T.prim_func
    def main(A: T.Tensor((256, 64), "float32"), C: T.Tensor((256, 64), "float32")):
        with T.Kernel(8, is_npu=True) as (cid, vid):
            x = T.alloc_ub((8, 64), "float32")
            r = cid * 32 + vid * 16
            with T.Scope("V"):
                for j in T.serial(16):
                    T.copy(A[r + j, 0:64], x[j, :])  # ~ error[TL308]: x[j, :] reaches 15
                T.barrier_all()
                T.copy(x, C[r, 0])

    return main


rows_of_a_short_tile()
