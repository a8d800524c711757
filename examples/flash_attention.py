"""Attention without the matrix of scores in memory: softmax(Q @ K.T / sqrt(width)) @ V, tile by tile.

Q, O: (batch, heads, length, width) float16. K, V: (batch, kv_heads, kv_length, width) float16: a group
of heads shares one of K and V. Lengths need not fill whole tiles. With `causal`, the last query sees all
keys, the one before it one fewer, and so on; tiles that no query of a block sees are left out.

Each core takes one tile of queries after the other. Its cube core multiplies, its two vector cores do
the softmax, each for half of the rows. They share no memory on the chip, so tiles change hands through
workspaces in GM with two slots: while the vector cores weigh the scores of one tile, the cube core
already computes the next.
Cross-core flags say when: scores are there, weights are there, their product with V is there. Who waits
for whom makes a flag "was read" needless: the cube core overwrites a slot only after weights that were
made of it. What waits for what inside of a core is the compiler's. Run on a device with torch_npu.
"""

import numpy as np
import tilelang
import tilelang.language as T

AUTOMATIC = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
}
SCORES, WEIGHTS, PRODUCT = 0, 1, 2  # cross-core flags
SLOTS = 2
LOWEST = -(2.0**30)


@T.macro
def mask(scores, seen, keys, limit, more):
    """Row i keeps its first `limit + i * more` scores; the others become the lowest number."""
    for i in T.serial(scores.shape[0]):
        T.tile.compare(seen, keys, T.cast(limit + i * more, "float32"), "LT")
        T.tile.select(scores[i, :], seen, scores[i, :], LOWEST, "VSEL_TENSOR_SCALAR_MODE")


@T.macro
def weigh(scores, scale, wide, largest, larger, shrink, total, part):
    """One step of the online softmax: `scores` become weights, `shrink` is for what came before."""
    T.tile.mul(scores, scores, scale)
    T.reduce_max(scores, part, dim=-1)
    T.tile.max(larger, largest, part)
    T.tile.sub(shrink, largest, larger)
    T.tile.exp(shrink, shrink)
    T.tile.broadcast(wide, larger)
    T.tile.sub(scores, scores, wide)
    T.tile.exp(scores, scores)
    T.reduce_sum(scores, part, dim=-1)
    T.tile.mul(total, total, shrink)
    T.tile.add(total, total, part)
    T.copy(larger, largest)


@T.macro
def collect(result, shrink, wide, products, product):
    """To the result so far, shrunk, comes the product that the cube core has made."""
    T.tile.broadcast(wide, shrink)
    T.tile.mul(result, result, wide)
    T.wait_cross_flag(PRODUCT)
    T.copy(products, product)
    T.tile.add(result, result, product)


# tl: instance 1, 2, 1, length=72, kv_length=136, width=64, block_Q=32, block_K=64
# tl: instance 1, 2, 2, length=80, kv_length=112, width=64, block_Q=32, block_K=64, causal=True, cores=2
@tilelang.jit(out_idx=[3], workspace_idx=[4, 5, 6], pass_configs=AUTOMATIC)
def flash_attention(  # noqa: PLR0915
    batch,
    heads,
    kv_heads,
    length,
    kv_length,
    width,
    block_Q=128,
    block_K=128,
    causal=False,
    cores=24,
):
    assert heads % kv_heads == 0, "every group of heads has its own K and V"
    assert not causal or length <= kv_length, "a query that sees no key has no weights"
    assert width == block_K, "scores and results share the shape of their tiles here"
    rows = T.ceildiv(length, block_Q)
    tiles = T.ceildiv(kv_length, block_K)
    tasks = batch * heads * rows
    half = block_Q // 2
    scale = width**-0.5
    more = 1 if causal else 0  # keys that a query sees more than the one before it

    def task_of(task):
        """Of a task: batch, head, first query, keys before which that sees, tiles of keys."""
        first = task % rows * block_Q
        limit = first + kv_length - length + 1 if causal else kv_length
        last = T.min(tiles, T.ceildiv(limit + block_Q - 1, block_K)) if causal else tiles
        return task // (heads * rows), task // rows % heads, first, limit, last

    @T.prim_func
    def attention(  # noqa: PLR0915
        Q: T.Tensor((batch, heads, length, width), "float16"),
        K: T.Tensor((batch, kv_heads, kv_length, width), "float16"),
        V: T.Tensor((batch, kv_heads, kv_length, width), "float16"),
        O: T.Tensor((batch, heads, length, width), "float16"),  # noqa: E741
        all_scores: T.Tensor((cores, SLOTS, block_Q, block_K), "float32"),
        all_weights: T.Tensor((cores, SLOTS, block_Q, block_K), "float16"),
        products: T.Tensor((cores, SLOTS, block_Q, width), "float32"),
    ):
        with T.Kernel(cores, is_npu=True) as (block, core):
            q = T.alloc_L1((block_Q, width), "float16")
            k = T.alloc_L1((block_K, width), "float16")
            v = T.alloc_L1((block_K, width), "float16")
            p = T.alloc_L1((block_Q, block_K), "float16")
            qk = T.alloc_L0C((block_Q, block_K), "float32")
            pv = T.alloc_L0C((block_Q, width), "float32")

            scores = T.alloc_ub((half, block_K), "float32")
            weights = T.alloc_ub((half, block_K), "float16")
            wide = T.alloc_ub((half, block_K), "float32")
            result = T.alloc_ub((half, width), "float32")
            product = T.alloc_ub((half, width), "float32")
            rounded = T.alloc_ub((half, width), "float16")
            keys = T.alloc_ub((block_K,), "float32")
            seen = T.alloc_ub((block_K // 8,), "uint8")
            largest = T.alloc_ub((half, 1), "float32")
            larger = T.alloc_ub((half, 1), "float32")
            shrink = T.alloc_ub((half, 1), "float32")
            earlier = T.alloc_ub((half, 1), "float32")
            total = T.alloc_ub((half, 1), "float32")
            part = T.alloc_ub((half, 1), "float32")

            turns = (tasks - block + cores - 1) // cores
            with T.Scope("C"):
                for turn in T.serial(turns):
                    one, head, first, _, last = task_of(turn * cores + block)
                    kv_head = head // (heads // kv_heads)
                    T.copy(Q[one, head, first, 0], q)
                    for t in T.serial(last + 1):
                        slot = t % SLOTS
                        if t < last:
                            T.copy(K[one, kv_head, t * block_K, 0], k)
                            T.gemm_v0(q, k, qk, transpose_B=True, init=True)
                            T.copy(qk, all_scores[block, slot, 0, 0])
                            T.set_cross_flag("FIX", SCORES)
                        if t > 0:
                            T.copy(V[one, kv_head, (t - 1) * block_K, 0], v)
                            T.wait_cross_flag(WEIGHTS)
                            T.copy(all_weights[block, 1 - slot, 0, 0], p)
                            T.gemm_v0(p, v, pv, init=True)
                            T.copy(pv, products[block, 1 - slot, 0, 0])
                            T.set_cross_flag("FIX", PRODUCT)

            with T.Scope("V"):
                top = core * half
                T.tile.createvecindex(keys, 0)
                for turn in T.serial(turns):
                    one, head, first, limit, last = task_of(turn * cores + block)
                    T.tile.fill(total, 0.0)
                    T.tile.fill(largest, LOWEST)
                    T.tile.fill(result, 0.0)
                    for t in T.serial(last):
                        slot = t % SLOTS
                        T.wait_cross_flag(SCORES)
                        T.copy(all_scores[block, slot, top, 0], scores)
                        if (t + 1) * block_K > limit:
                            mask(scores, seen, keys, limit + top * more - t * block_K, more)
                        weigh(scores, scale, wide, largest, larger, shrink, total, part)
                        T.copy(scores, weights)
                        T.copy(weights, all_weights[block, slot, top, 0])
                        T.set_cross_flag("MTE3", WEIGHTS)
                        if t > 0:
                            collect(
                                result, earlier, wide, products[block, 1 - slot, top, 0], product
                            )
                        T.copy(shrink, earlier)
                    slot = (last - 1) % SLOTS
                    collect(result, earlier, wide, products[block, slot, top, 0], product)
                    T.tile.broadcast(wide, total)
                    T.tile.div(result, result, wide)
                    T.copy(result, rounded)
                    T.copy(rounded, O[one, head, first + top, 0])

    return attention


def reference(q, k, v, causal=False):
    """What the kernel computes, in numpy."""
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[1] // k.shape[1], axis=1) for x in (k, v))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
    if causal:
        length, kv_length = scores.shape[-2:]
        seen = np.tri(length, kv_length, kv_length - length, dtype=bool)
        scores = np.where(seen, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights @ v / weights.sum(axis=-1, keepdims=True)).astype(np.float16)


def main():
    import torch
    import torch_npu  # noqa: F401

    batch, heads, kv_heads, length, width = 2, 32, 8, 4000, 128
    kernel = flash_attention(batch, heads, kv_heads, length, length, width, causal=True)
    q = torch.randn(batch, heads, length, width, dtype=torch.float16)
    k, v = (torch.randn(batch, kv_heads, length, width, dtype=torch.float16) for _ in range(2))
    wanted = torch.from_numpy(reference(q.numpy(), k.numpy(), v.numpy(), causal=True))
    found = kernel(q.npu(), k.npu(), v.npu()).cpu()
    torch.testing.assert_close(found, wanted, rtol=1e-2, atol=1e-2)
    print("flash_attention: the device agrees with numpy")


if __name__ == "__main__":
    main()
