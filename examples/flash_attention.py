"""Attention without the matrix of scores in memory: softmax(Q @ K.T * scale) @ V, tile by tile.

A block owns one tile of queries. Its cube core multiplies, its two vector cores do the softmax, each
for half of the rows. They share no memory on the chip, so tiles change hands through workspaces in
GM, and cross-core flags say when: scores are there, weights are there, the product is there, the
product was read. The last one closes the circle: only then may the cube core overwrite its
workspaces. Run on a device with torch_npu.
"""

import tilelang
import tilelang.language as T

SCORES, WEIGHTS, PRODUCT, READ = 0, 1, 2, 3  # cross-core flags
LOWEST = -(2.0**30)


@T.macro
def start(total, largest, result):
    """Nothing was seen yet."""
    T.tile.fill(total, 0.0)
    T.tile.fill(largest, LOWEST)
    T.tile.fill(result, 0.0)
    T.pipe_barrier("v")


@T.macro
def weigh(scores, scale, wide, largest, larger, shrink, total, part):
    """One step of the online softmax: `scores` become weights, `shrink` is for what came before."""
    T.tile.mul(scores, scores, scale)
    T.pipe_barrier("v")
    T.reduce_max(scores, part, dim=-1)
    T.pipe_barrier("v")
    T.tile.max(larger, largest, part)
    T.pipe_barrier("v")
    T.tile.sub(shrink, largest, larger)
    T.tile.broadcast(wide, larger)
    T.pipe_barrier("v")
    T.tile.exp(shrink, shrink)
    T.tile.sub(scores, scores, wide)
    T.pipe_barrier("v")
    T.tile.exp(scores, scores)
    T.tile.mul(total, total, shrink)
    T.pipe_barrier("v")
    T.reduce_sum(scores, part, dim=-1)
    T.copy(larger, largest)
    T.pipe_barrier("v")
    T.tile.add(total, total, part)
    T.pipe_barrier("v")


@tilelang.jit(out_idx=[3], workspace_idx=[4, 5, 6])
def flash_attention(  # noqa: PLR0915
    heads, length, width, block_Q, block_K, dtype="float16", sum_dtype="float32"
):
    assert length % block_Q == 0 and length % block_K == 0, "whole tiles only"
    assert width == block_K, "scores and results share the shape of their tiles here"
    tiles = length // block_Q
    blocks = heads * tiles
    half = block_Q // 2
    scale = width**-0.5

    @T.prim_func
    def attention(  # noqa: PLR0915
        Q: T.Tensor((heads, length, width), dtype),
        K: T.Tensor((heads, length, width), dtype),
        V: T.Tensor((heads, length, width), dtype),
        O: T.Tensor((heads, length, width), dtype),  # noqa: E741
        score_space: T.Tensor((blocks, block_Q, block_K), sum_dtype),
        weight_space: T.Tensor((blocks, block_Q, block_K), dtype),
        product_space: T.Tensor((blocks, block_Q, width), sum_dtype),
    ):
        with T.Kernel(blocks, is_npu=True) as (block, core):
            head = block // tiles
            first = block % tiles * block_Q

            q = T.alloc_L1((block_Q, width), dtype)
            k = T.alloc_L1((block_K, width), dtype)
            v = T.alloc_L1((block_K, width), dtype)
            p = T.alloc_L1((block_Q, block_K), dtype)
            qk = T.alloc_L0C((block_Q, block_K), sum_dtype)
            pv = T.alloc_L0C((block_Q, width), sum_dtype)

            scores = T.alloc_ub((half, block_K), sum_dtype)
            weights = T.alloc_ub((half, block_K), dtype)
            wide = T.alloc_ub((half, block_K), sum_dtype)
            result = T.alloc_ub((half, width), sum_dtype)
            product = T.alloc_ub((half, width), sum_dtype)
            rounded = T.alloc_ub((half, width), dtype)
            largest = T.alloc_ub((half, 1), sum_dtype)
            larger = T.alloc_ub((half, 1), sum_dtype)
            shrink = T.alloc_ub((half, 1), sum_dtype)
            total = T.alloc_ub((half, 1), sum_dtype)
            part = T.alloc_ub((half, 1), sum_dtype)

            with T.Scope("C"):
                T.copy(Q[head, first : first + block_Q, :], q)
                for t in T.serial(length // block_K):
                    T.copy(K[head, t * block_K : (t + 1) * block_K, :], k)
                    T.copy(V[head, t * block_K : (t + 1) * block_K, :], v)
                    T.barrier_all()
                    T.gemm_v0(q, k, qk, transpose_B=True, init=True)
                    T.barrier_all()
                    T.copy(qk, score_space[block, :, :])
                    T.set_cross_flag("FIX", SCORES)

                    T.wait_cross_flag(WEIGHTS)
                    T.copy(weight_space[block, :, :], p)
                    T.barrier_all()
                    T.gemm_v0(p, v, pv, init=True)
                    T.barrier_all()
                    T.copy(pv, product_space[block, :, :])
                    T.set_cross_flag("FIX", PRODUCT)

                    T.wait_cross_flag(READ)
                    T.barrier_all()

            with T.Scope("V"):
                top = core * half
                start(total, largest, result)
                for _ in T.serial(length // block_K):
                    T.wait_cross_flag(SCORES)
                    T.copy(score_space[block, top : top + half, :], scores)
                    T.barrier_all()
                    weigh(scores, scale, wide, largest, larger, shrink, total, part)
                    T.copy(scores, weights)
                    T.barrier_all()
                    T.copy(weights, weight_space[block, top : top + half, :])
                    T.set_cross_flag("MTE3", WEIGHTS)

                    T.tile.broadcast(wide, shrink)
                    T.pipe_barrier("v")
                    T.tile.mul(result, result, wide)
                    T.wait_cross_flag(PRODUCT)
                    T.copy(product_space[block, top : top + half, :], product)
                    T.set_cross_flag("MTE2", READ)
                    T.barrier_all()
                    T.tile.add(result, result, product)
                    T.barrier_all()

                T.tile.broadcast(wide, total)
                T.pipe_barrier("v")
                T.tile.div(result, result, wide)
                T.pipe_barrier("v")
                T.copy(result, rounded)
                T.barrier_all()
                T.copy(rounded, O[head, first + top : first + top + half, :])

    return attention


def main():
    import torch
    import torch_npu  # noqa: F401

    heads, length, width = 4, 512, 64
    kernel = flash_attention(heads, length, width, 64, 64)
    q, k, v = (torch.randn(heads, length, width, dtype=torch.float16).npu() for _ in range(3))
    wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    torch.testing.assert_close(kernel(q, k, v), wanted, rtol=1e-2, atol=1e-2)
    print("flash_attention: the device agrees with torch")


if __name__ == "__main__":
    main()
