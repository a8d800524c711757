"""The kernels of the comparison, for tilelang 0.1.15 and its Ascend 950 pipeline. `MAKE`: what builds
each; `build` lowers and emits it and gives the source."""

import tilelang
import tilelang.ascend.language as T
from tvm.target import Target

CORES, TILE, SUM = 32, 128, "float32"


def gemm(M=4096, N=4096, K=4096, block_K=64):
    @T.prim_func
    def product(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((N, K), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(CORES) as core:
            a = T.alloc_l1((TILE, block_K), "float16")
            b = T.alloc_l1((TILE, block_K), "float16")
            total = T.alloc_l0c((TILE, TILE), SUM)
            for i, j in T.Persistent([M // TILE, N // TILE], CORES, core):
                for k in T.Pipelined(K // block_K, num_stages=2):
                    T.copy(A[i * TILE, k * block_K], a)
                    T.copy(B[j * TILE, k * block_K], b)
                    T.gemm(a, b, total, transpose_B=True, clear_accum=(k == 0))
                T.copy(total, C[i * TILE, j * TILE])

    return product


def add(N=1 << 22, tile=8192):
    share = N // CORES

    @T.prim_func
    def total(X: T.Tensor((N,), SUM), Y: T.Tensor((N,), SUM), Z: T.Tensor((N,), SUM)):
        with T.Kernel(CORES) as core:
            x = T.alloc_shared((tile,), SUM)
            y = T.alloc_shared((tile,), SUM)
            z = T.alloc_shared((tile,), SUM)
            for t in T.Pipelined(share // tile, num_stages=2):
                T.copy(X[core * share + t * tile], x)
                T.copy(Y[core * share + t * tile], y)
                with T.SimtVF(threads=512):
                    for i in T.Parallel(tile):
                        z[i] = x[i] + y[i]
                T.copy(z, Z[core * share + t * tile])

    return total


def softmax(M=4096, N=1024, rows=16):
    share = M // CORES

    @T.prim_func
    def weights(X: T.Tensor((M, N), SUM), Y: T.Tensor((M, N), SUM)):
        with T.Kernel(CORES) as core:
            x = T.alloc_shared((rows, N), SUM)
            y = T.alloc_shared((rows, N), SUM)
            for t in T.Pipelined(share // rows, num_stages=1):
                T.copy(X[core * share + t * rows, 0], x)
                with T.SimtVF(threads=512):
                    e = T.alloc_fragment((rows, N), SUM)
                    largest = T.alloc_fragment((rows,), SUM)
                    total = T.alloc_fragment((rows,), SUM)
                    T.copy(x, e)
                    T.reduce_max(e, largest, dim=1)
                    for i, j in T.Parallel(rows, N):
                        e[i, j] = T.exp(e[i, j] - largest[i])
                    T.reduce_sum(e, total, dim=1)
                    for i, j in T.Parallel(rows, N):
                        e[i, j] = e[i, j] / total[i]
                    T.copy(e, y)
                T.copy(y, Y[core * share + t * rows, 0])

    return weights


def flash_attention(heads=32, length=4096, width=128):
    half, rows = TILE // 2, length // TILE
    scale = width**-0.5

    @T.prim_func
    def attention(
        Q: T.Tensor((heads, length, width), "float16"),
        K: T.Tensor((heads, length, width), "float16"),
        V: T.Tensor((heads, width, length), "float16"),
        O: T.Tensor((heads, length, width), "float16"),  # noqa: E741
    ):
        with T.Kernel(heads * rows) as block:
            q = T.alloc_l1((TILE, width), "float16")
            k = T.alloc_l1((TILE, width), "float16")
            v = T.alloc_l1((width, TILE), "float16")
            p = T.alloc_l1((TILE, TILE), "float16")
            qk = T.alloc_l0c((TILE, TILE), SUM)
            pv = T.alloc_l0c((TILE, width), SUM)
            scores = T.alloc_shared((half, TILE), SUM)
            weights = T.alloc_shared((half, TILE), "float16")
            product = T.alloc_shared((half, width), SUM)
            result = T.alloc_shared((half, width), SUM)
            largest = T.alloc_shared((half,), SUM)
            total = T.alloc_shared((half,), SUM)
            shrink = T.alloc_shared((half,), SUM)
            rounded = T.alloc_shared((half, width), "float16")
            head, first = block // rows, block % rows * TILE
            T.copy(Q[head, first, 0], q)
            with T.SimtVF(threads=512):
                for i in T.Parallel(half):
                    largest[i] = -1073741824.0
                    total[i] = 0.0
                for i, j in T.Parallel(half, width):
                    result[i, j] = 0.0
            for t in T.Pipelined(rows, num_stages=2):
                T.copy(K[head, t * TILE, 0], k)
                T.copy(V[head, 0, t * TILE], v)
                T.gemm(q, k, qk, transpose_B=True, clear_accum=True)
                T.dual_copy(qk, scores)
                with T.SimtVF(threads=512):
                    e = T.alloc_fragment((half, TILE), SUM)
                    part = T.alloc_fragment((half,), SUM)
                    T.copy(scores, e)
                    T.reduce_max(e, part, dim=1)
                    for i in T.Parallel(half):
                        part[i] = T.max(part[i] * scale, largest[i])
                        shrink[i] = T.exp(largest[i] - part[i])
                        largest[i] = part[i]
                    for i, j in T.Parallel(half, TILE):
                        e[i, j] = T.exp(e[i, j] * scale - part[i])
                    T.reduce_sum(e, part, dim=1)
                    for i in T.Parallel(half):
                        total[i] = total[i] * shrink[i] + part[i]
                    T.copy(e, weights)
                T.dual_copy(weights, p)
                T.gemm(p, v, pv, transpose_B=True, clear_accum=True)
                T.dual_copy(pv, product)
                with T.SimtVF(threads=512):
                    for i, j in T.Parallel(half, width):
                        result[i, j] = result[i, j] * shrink[i] + product[i, j]
            with T.SimtVF(threads=512):
                for i, j in T.Parallel(half, width):
                    rounded[i, j] = result[i, j] / total[i]
            T.dual_copy(rounded, O[head, first : first + TILE, 0:width])

    return attention


def build(function):
    with (
        tilelang.transform.PassContext(opt_level=3, config={}),
        Target("ascend") as target,
    ):
        return tilelang.lower(function, target=target, enable_device_compile=False).kernel_source


MAKE = {f.__name__: f for f in (gemm, add, softmax, flash_attention)}
