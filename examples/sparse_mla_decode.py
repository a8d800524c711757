"""Multi-head latent attention of a new token of each request, over cached tokens that a selector chose.

Every head of a request looks at the same chosen tokens. A cached token is one row of 576 numbers: 512
latent ones, which are keys and values at once, and 64 that carry its position and are keys only.

    score[h, n] = Q[h] @ row[n] * scale,  out[h] = softmax(score[h]) @ row[:, : 512]

Q: (requests, heads, 576) float16. Cache: (pages, page, 576) float16. Pages: (requests, most) int32, the
page of the cache that holds tokens page * i to page * (i + 1) of a request. Chosen: (requests, top)
int32, tokens of the request, -1 for none. O: (requests, heads, 512) float16.

A block owns `group` heads of a request. Its vector cores gather chosen rows, each half of a tile, into a
workspace; the cube core multiplies queries with them, then weights with their latent part;
the vector cores do the softmax between. The next tile is gathered while the cube core works on this one.
Cross-core flags: rows are there, scores are there, weights are there, their product is there. What waits
for what inside of a core is the compiler's. Run on a device with torch_npu.
"""

import numpy as np
import tilelang
import tilelang.language as T

AUTOMATIC = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
}
ROWS, SCORES, WEIGHTS, PRODUCT = 0, 1, 2, 3  # cross-core flags
LATENT, ROPE = 512, 64
PART, PARTS = 128, 4  # the latent numbers in parts that the matrix unit takes at once
WIDTH = LATENT + ROPE
LOWEST = 2.0**30


@T.macro
def gather(tokens, at, chosen, pages, request, cache, row, rows, block, top):
    """The rows of the cache that tokens `at` and on name, into the workspace from row `top` on."""
    T.copy(tokens[request, at], chosen)
    for i in T.serial(chosen.shape[0]):
        token = T.max(chosen[i], 0)
        page = cache.shape[1]
        T.copy(cache[pages[request, token // page], token % page, :], row)
        T.copy(row, rows[block, top + i, :])


@T.macro
def weigh(scores, penalty, scale, wide, largest, larger, shrink, total, part):
    """One step of the online softmax: `scores` become weights, `shrink` is for what came before."""
    T.tile.mul(scores, scores, scale)
    T.tile.broadcast(wide, penalty)
    T.tile.add(scores, scores, wide)
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


# tl: instance requests=2, heads=32, pages=4, page=32, most=2, top=128, group=32, tile=64
@tilelang.jit(out_idx=[4], workspace_idx=[5, 6, 7, 8], pass_configs=AUTOMATIC)
def sparse_mla_decode(  # noqa: PLR0915
    requests, heads, pages, page, most, top, group=64, tile=64, scale=WIDTH**-0.5
):
    assert heads % group == 0 and top % tile == 0, "whole groups of heads, whole tiles of tokens"
    groups = heads // group
    blocks = requests * groups
    tiles = top // tile
    half, half_tile = group // 2, tile // 2

    @T.prim_func
    def decode(  # noqa: PLR0915
        Q: T.Tensor((requests, heads, WIDTH), "float16"),
        Cache: T.Tensor((pages, page, WIDTH), "float16"),
        Pages: T.Tensor((requests, most), "int32"),
        Chosen: T.Tensor((requests, top), "int32"),
        O: T.Tensor((requests, heads, LATENT), "float16"),  # noqa: E741
        all_rows: T.Tensor((blocks, tile, WIDTH), "float16"),
        all_scores: T.Tensor((blocks, group, tile), "float32"),
        all_weights: T.Tensor((blocks, group, tile), "float16"),
        products: T.Tensor((blocks, group, LATENT), "float32"),
    ):
        with T.Kernel(blocks, is_npu=True) as (block, core):
            request = block // groups
            first = block % groups * group

            q = T.alloc_L1((PARTS, group, PART), "float16")
            q_rope = T.alloc_L1((group, ROPE), "float16")
            k = T.alloc_L1((PARTS, tile, PART), "float16")
            k_rope = T.alloc_L1((tile, ROPE), "float16")
            p = T.alloc_L1((group, tile), "float16")
            qk = T.alloc_L0C((group, tile), "float32")
            pv = T.alloc_L0C((group, PART), "float32")

            chosen = T.alloc_ub((half_tile,), "int32")
            row = T.alloc_ub((WIDTH,), "float16")
            every = T.alloc_ub((1, tile), "int32")
            penalty = T.alloc_ub((1, tile), "float32")
            scores = T.alloc_ub((half, tile), "float32")
            weights = T.alloc_ub((half, tile), "float16")
            wide = T.alloc_ub((half, tile), "float32")
            factors = T.alloc_ub((half, PART), "float32")
            result = T.alloc_ub((PARTS, half, PART), "float32")
            product = T.alloc_ub((half, PART), "float32")
            rounded = T.alloc_ub((half, PART), "float16")
            largest = T.alloc_ub((half, 1), "float32")
            larger = T.alloc_ub((half, 1), "float32")
            shrink = T.alloc_ub((half, 1), "float32")
            total = T.alloc_ub((half, 1), "float32")
            part = T.alloc_ub((half, 1), "float32")

            with T.Scope("C"):
                for c in T.serial(PARTS):
                    T.copy(Q[request, first, c * PART], q[c, :, :])
                T.copy(Q[request, first, LATENT], q_rope)
                for _ in T.serial(tiles):
                    T.wait_cross_flag(ROWS)
                    for c in T.serial(PARTS):
                        T.copy(all_rows[block, 0, c * PART], k[c, :, :])
                    T.copy(all_rows[block, 0, LATENT], k_rope)
                    for c in T.serial(PARTS):
                        T.gemm_v0(q[c, :, :], k[c, :, :], qk, transpose_B=True, init=(c == 0))
                    T.gemm_v0(q_rope, k_rope, qk, transpose_B=True)
                    T.copy(qk, all_scores[block, 0, 0])
                    T.set_cross_flag("FIX", SCORES)

                    T.wait_cross_flag(WEIGHTS)
                    T.copy(all_weights[block, 0, 0], p)
                    for c in T.serial(PARTS):
                        T.gemm_v0(p, k[c, :, :], pv, init=True)
                        T.copy(pv, products[block, 0, c * PART])
                    T.set_cross_flag("FIX", PRODUCT)

            with T.Scope("V"):
                mine = core * half
                top_row = core * half_tile
                T.tile.fill(total, 0.0)
                T.tile.fill(largest, -LOWEST)
                T.tile.fill(result, 0.0)
                gather(
                    Chosen, top_row, chosen, Pages, request, Cache, row, all_rows, block, top_row
                )
                T.set_cross_flag("MTE3", ROWS)
                for t in T.serial(tiles):
                    T.copy(Chosen[request, t * tile], every)
                    T.tile.cast(penalty, every, "CAST_RINT", tile)
                    T.tile.min(penalty, penalty, 0.0)
                    T.tile.mul(penalty, penalty, LOWEST)
                    T.wait_cross_flag(SCORES)
                    T.copy(all_scores[block, mine, 0], scores)
                    weigh(scores, penalty, scale, wide, largest, larger, shrink, total, part)
                    T.copy(scores, weights)
                    T.copy(weights, all_weights[block, mine, 0])
                    T.set_cross_flag("MTE3", WEIGHTS)
                    if t + 1 < tiles:
                        at = (t + 1) * tile + top_row
                        gather(
                            Chosen, at, chosen, Pages, request, Cache, row, all_rows, block, top_row
                        )
                        T.set_cross_flag("MTE3", ROWS)
                    T.tile.broadcast(factors, shrink)
                    T.wait_cross_flag(PRODUCT)
                    for c in T.serial(PARTS):
                        T.copy(products[block, mine, c * PART], product)
                        T.tile.mul(result[c, :, :], result[c, :, :], factors)
                        T.tile.add(result[c, :, :], result[c, :, :], product)
                T.tile.broadcast(factors, total)
                for c in T.serial(PARTS):
                    T.tile.div(result[c, :, :], result[c, :, :], factors)
                    T.copy(result[c, :, :], rounded)
                    T.copy(rounded, O[request, first + mine, c * PART])

    return decode


def reference(q, cache, pages, chosen):
    """What the kernel computes, in numpy."""
    page, latent = cache.shape[1], 512
    places = pages[np.arange(len(chosen))[:, None], np.maximum(chosen, 0) // page]
    rows = cache[places, np.maximum(chosen, 0) % page].astype(np.float32)
    scores = q.astype(np.float32) @ rows.transpose(0, 2, 1) * q.shape[-1] ** -0.5
    scores = np.where(chosen[:, None, :] < 0, -np.inf, scores)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    result = weights @ rows[:, :, :latent] / weights.sum(axis=-1, keepdims=True)
    return result.astype(np.float16)


def main():
    import torch
    import torch_npu  # noqa: F401

    requests, heads, pages, page, most, top = 16, 128, 2048, 128, 64, 2048
    kernel = sparse_mla_decode(requests, heads, pages, page, most, top)
    q = torch.randn(requests, heads, WIDTH, dtype=torch.float16)
    cache = torch.randn(pages, page, WIDTH, dtype=torch.float16)
    table = torch.randint(0, pages, (requests, most), dtype=torch.int32)
    chosen = torch.randint(-1, most * page, (requests, top), dtype=torch.int32)
    given = (q, cache, table, chosen)
    wanted = torch.from_numpy(reference(*(x.numpy() for x in given)))
    found = kernel(*(x.npu() for x in given)).cpu()
    torch.testing.assert_close(found, wanted, rtol=1e-2, atol=1e-2)
    print("sparse_mla_decode: the device agrees with numpy")


if __name__ == "__main__":
    main()
