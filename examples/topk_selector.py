"""Which tokens a sparse attention looks at: the `top` best of a score over the cache of each request.

    score[n] = sum over heads of W[h] * max(Q[h] @ K[n], 0)        for n < Lengths[request]

Q: (requests, heads, width) float16. K: (requests, capacity, width) float16, of which the first
Lengths[request] rows are in use. W: (requests, heads) float32. Lengths: (requests,) int32. Best:
(requests, top) int32, the places of the greatest scores, greatest first; -1 where a request has fewer.

A block owns two requests, one for each of its vector cores. The cube core multiplies tile after tile of
both caches into two slots of a workspace; a vector core sums up its tile, sorts it in runs of 32, merges
these, and merges the result with the best so far. Cross-core flags say that a slot is full and that it
was read. What waits for what inside of a core is the compiler's. Run on a device with torch_npu.
"""

import numpy as np
import tilelang
import tilelang.language as T

AUTOMATIC = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
}
FULL, READ = 0, 1  # cross-core flags
SLOTS = 2
TILE = 128  # cached tokens: four runs of 32, which one instruction merges
LOWEST = -float("inf")
RUN = 2 * 32  # a run of pairs (score, place)


@T.macro
def keep_best(scores, places, runs, tile, merged, best, top):
    """Sort the scores of a tile, then keep the best of them and of those so far."""
    T.tile.sort32(runs, scores, places)
    T.tile.merge_sort(
        tile, runs[0:RUN], runs[RUN : 2 * RUN], runs[2 * RUN : 3 * RUN], runs[3 * RUN : 4 * RUN]
    )
    T.tile.merge_sort(merged, best, tile)
    T.copy(merged[0 : 2 * top], best)


# tl: instance requests=4, capacity=320, heads=16, width=64, top=64
@tilelang.jit(out_idx=[4], workspace_idx=[5], pass_configs=AUTOMATIC)
def topk_selector(requests, capacity, heads, width, top):
    assert requests % 2 == 0, "each vector core serves a request"
    assert top % 32 == 0 and top <= 3072, "whole runs, and no more than the sorter merges"
    tiles = T.ceildiv(capacity, TILE)

    @T.prim_func
    def select(
        Q: T.Tensor((requests, heads, width), "float16"),
        K: T.Tensor((requests, capacity, width), "float16"),
        W: T.Tensor((requests, heads), "float32"),
        Lengths: T.Tensor((requests,), "int32"),
        Best: T.Tensor((requests, top), "int32"),
        products: T.Tensor((requests, SLOTS, heads, TILE), "float32"),
    ):
        with T.Kernel(requests // 2, is_npu=True) as (block, core):
            q = T.alloc_L1((2, heads, width), "float16")
            k = T.alloc_L1((TILE, width), "float16")
            product = T.alloc_L0C((heads, TILE), "float32")

            logits = T.alloc_ub((heads, TILE), "float32")
            weight = T.alloc_ub((heads,), "float32")
            each_head = T.reshape(weight, (heads, 1))
            wide = T.alloc_ub((heads, TILE), "float32")
            scores = T.alloc_ub((TILE,), "float32")
            order = T.alloc_ub((TILE,), "float32")
            used = T.alloc_ub((TILE // 8,), "uint8")
            places = T.alloc_ub((TILE,), "int32")
            runs = T.alloc_ub((2 * TILE,), "float32")
            tile = T.alloc_ub((2 * TILE,), "float32")
            merged = T.alloc_ub((2 * (top + TILE),), "float32")
            best = T.alloc_ub((2 * top,), "float32")
            chosen = T.alloc_ub((top,), "float32")

            with T.Scope("C"):
                for one in T.serial(2):
                    T.copy(Q[block * 2 + one, :, :], q[one, :, :])
                for t in T.serial(tiles):
                    if t >= SLOTS:
                        T.wait_cross_flag(READ)
                    for one in T.serial(2):
                        T.copy(K[block * 2 + one, t * TILE, 0], k)
                        T.gemm_v0(q[one, :, :], k, product, transpose_B=True, init=True)
                        T.copy(product, products[block * 2 + one, t % SLOTS, :, :])
                    T.set_cross_flag("FIX", FULL)

            with T.Scope("V"):
                request = block * 2 + core
                length = Lengths[request]
                T.copy(W[request, :], weight)
                T.tile.broadcast(wide, each_head)
                T.tile.createvecindex(order, 0)
                T.tile.init_sort_buf(best, 2 * top, 0)
                for t in T.serial(tiles):
                    T.wait_cross_flag(FULL)
                    T.copy(products[request, t % SLOTS, :, :], logits)
                    if t + SLOTS < tiles:
                        T.set_cross_flag("MTE2", READ)
                    T.tile.relu(logits, logits)
                    T.tile.mul(logits, logits, wide)
                    T.reduce_sum(logits, scores, dim=0)
                    left = T.cast(length - t * TILE, "float32")
                    T.tile.compare(used, order, left, "LT")
                    T.tile.select(scores, used, scores, LOWEST, "VSEL_TENSOR_SCALAR_MODE")
                    T.tile.createvecindex(places, t * TILE)
                    keep_best(
                        scores, T.view(places, (TILE,), "uint32"), runs, tile, merged, best, top
                    )
                T.tile.gather_mask(chosen, best, "P1010")
                T.copy(T.view(chosen, (top,), "int32"), Best[request, :])

    return select


def reference(q, k, w, lengths, top):
    """What the kernel computes, in numpy."""
    products = np.einsum("rhd,rnd->rhn", q.astype(np.float32), k.astype(np.float32))
    scores = np.einsum("rhn,rh->rn", np.maximum(products, 0), w)
    best = np.full((q.shape[0], top), -1, np.int32)
    for request, length in enumerate(lengths):
        order = np.argsort(-scores[request, :length], kind="stable")[:top]
        best[request, : order.size] = order
    return best


def main():
    import torch
    import torch_npu  # noqa: F401

    requests, capacity, heads, width, top = 32, 16384, 64, 128, 2048
    kernel = topk_selector(requests, capacity, heads, width, top)
    q = torch.randn(requests, heads, width, dtype=torch.float16)
    k = torch.randn(requests, capacity, width, dtype=torch.float16)
    w = torch.rand(requests, heads)
    lengths = torch.randint(1, capacity, (requests,), dtype=torch.int32)
    found = kernel(*(t.npu() for t in (q, k, w, lengths))).cpu().numpy()
    wanted = reference(*(t.numpy() for t in (q, k, w, lengths)), top)
    both = [np.intersect1d(a, b).size for a, b in zip(found, wanted, strict=True)]
    shared = sum(both) / found.size
    assert shared > 0.99, f"only {shared:.1%} of the places are those of numpy"
    print("topk_selector: the device agrees with numpy")


if __name__ == "__main__":
    main()
