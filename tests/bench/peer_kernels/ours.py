"""The kernels of the comparison, for A2 and A3: the same tiles, and as much left to the compiler.
`flash_attention` is that of the examples."""

import tilelang
import tilelang.language as T

CORES, TILE, SUM = 24, 128, "float32"
AUTOMATIC = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_COMBINE: True,
    tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
}


@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def gemm(M=4096, N=4096, K=4096, block_K=64):
    @T.prim_func
    def product(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((N, K), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(CORES, is_npu=True) as (core, _):
            a = T.alloc_L1((TILE, block_K), "float16")
            b = T.alloc_L1((TILE, block_K), "float16")
            total = T.alloc_L0C((TILE, TILE), SUM)
            for i, j in T.Persistent([M // TILE, N // TILE], CORES, core):
                for k in T.Pipelined(K // block_K, num_stages=2):
                    T.copy(A[i * TILE, k * block_K], a)
                    T.copy(B[j * TILE, k * block_K], b)
                    T.gemm_v0(a, b, total, transpose_B=True, init=(k == 0))
                T.copy(total, C[i * TILE, j * TILE])

    return product


@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def add(N=1 << 22, tile=8192):
    share = N // (2 * 32)

    @T.prim_func
    def total(X: T.Tensor((N,), SUM), Y: T.Tensor((N,), SUM), Z: T.Tensor((N,), SUM)):
        with T.Kernel(32, is_npu=True) as (block, core):
            x = T.alloc_ub((tile,), SUM)
            y = T.alloc_ub((tile,), SUM)
            z = T.alloc_ub((tile,), SUM)
            first = (block * 2 + core) * share
            for t in T.Pipelined(share // tile, num_stages=2):
                T.copy(X[first + t * tile], x)
                T.copy(Y[first + t * tile], y)
                for i in T.Parallel(tile):
                    z[i] = x[i] + y[i]
                T.copy(z, Z[first + t * tile])

    return total


@tilelang.jit(out_idx=[-1], pass_configs=AUTOMATIC)
def softmax(M=4096, N=1024, rows=16):
    share = M // (2 * 32)

    @T.prim_func
    def weights(X: T.Tensor((M, N), SUM), Y: T.Tensor((M, N), SUM)):
        with T.Kernel(32, is_npu=True) as (block, core):
            x = T.alloc_ub((rows, N), SUM)
            largest = T.alloc_ub((rows, 1), SUM)
            total = T.alloc_ub((rows, 1), SUM)
            first = (block * 2 + core) * share
            for t in T.serial(share // rows):
                T.copy(X[first + t * rows, 0], x)
                T.reduce_max(x, largest, dim=1)
                for i, j in T.Parallel(rows, N):
                    x[i, j] = x[i, j] - largest[i, 0]
                for i, j in T.Parallel(rows, N):
                    x[i, j] = T.exp(x[i, j])
                T.reduce_sum(x, total, dim=1)
                for i, j in T.Parallel(rows, N):
                    x[i, j] = x[i, j] / total[i, 0]
                T.copy(x, Y[first + t * rows, 0])

    return weights


gemm()
add()
softmax()
