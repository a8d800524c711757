"""Rows that collect, sort, repeat and mask, against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulate.support import draw, on_tiles

X = np.random.default_rng(3).permutation(128).astype(np.float32)  # no two alike
ZERO = np.zeros(128, np.float32)


def test_gather_counts_bytes() -> None:
    at = draw(128, dtype=np.uint32, low=0, high=100)
    found = on_tiles("T.tile.gather(o, x0, x1, 8)", ZERO, X, at * 4)
    np.testing.assert_array_equal(found, X[at + 2])


def test_gatherb_takes_blocks() -> None:
    blocks = np.array([3, 0, 2, 1, 7, 6, 5, 4], np.uint32)
    found = on_tiles("T.tile.gatherb(o, x0, x1, 1, 1, 8)", ZERO, X, blocks * 32)
    np.testing.assert_array_equal(found[:64].reshape(8, 8), X.reshape(16, 8)[blocks])
    assert (found[64:] == 0).all()


@pytest.mark.parametrize(
    ("pattern", "step", "first"),
    [("P0101", 2, 0), ("P1010", 2, 1), ("P0001", 4, 0), ("P0010", 4, 1)]
    + [("P0100", 4, 2), ("P1000", 4, 3), ("P1111", 1, 0)],
)
def test_gather_mask_by_a_pattern(pattern: str, step: int, first: int) -> None:
    found = on_tiles(f'T.tile.gather_mask(o, x0, "{pattern}")', ZERO, X)
    kept = [x for at, x in enumerate(X.tolist()) if at % step == first]
    np.testing.assert_array_equal(found[: len(kept)], kept)


def test_gather_mask_by_indices() -> None:
    at = draw(64, dtype=np.uint32, low=0, high=128)
    found = on_tiles("T.tile.gather_mask(o, x0, x1)", ZERO, X, at)
    np.testing.assert_array_equal(found[:64], X[at])


def pairs(scores: list[float]) -> list[float]:
    """Values and places, greatest first."""
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    return [part for at in order for part in (scores[at], float(at))]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_sort(dtype: type) -> None:
    x, out = X.astype(dtype), np.zeros(256, dtype)
    np.testing.assert_array_equal(on_tiles("T.tile.sort(o, x0, 128)", out, x), pairs(X.tolist()))
    part = on_tiles("T.tile.sort(o, x0, 100)", out, x)
    np.testing.assert_array_equal(part[:200], pairs(X[:100].tolist()))
    assert (part[200:256:2] == -np.inf).all()


def test_sort_overwrites_what_does_not_count() -> None:
    found = on_tiles("T.tile.sort(x1, x0, 100)\nT.copy(x0, o)", ZERO, X, np.zeros(256, np.float32))
    np.testing.assert_array_equal(found[:100], X[:100])
    assert (found[100:] == -np.inf).all()


def test_topk() -> None:
    found = on_tiles("T.tile.topk(o, x0, 16, 100)", np.zeros(32, np.float32), X)
    np.testing.assert_array_equal(found, pairs(X[:100].tolist())[:32])


def test_sort32_gives_each_group_with_its_indices() -> None:
    index = np.arange(128, dtype=np.uint32) * 3
    found = on_tiles("T.tile.sort32(o, x0, x1)", np.zeros(256, np.float32), X, index)
    for group in range(4):
        part = X[32 * group : 32 * group + 32]
        mine = found[64 * group : 64 * group + 64]
        np.testing.assert_array_equal(mine[0::2], sorted(part, reverse=True))
        order = np.argsort(-part) + 32 * group
        np.testing.assert_array_equal(mine[1::2].view(np.uint32), index[order])


def test_merge_sort() -> None:
    runs = [np.array(pairs(X[at : at + 32].tolist()), np.float32) for at in (0, 32, 64)]
    found = on_tiles("T.tile.merge_sort(o, x0, x1, x2)", np.zeros(192, np.float32), *runs)
    np.testing.assert_array_equal(found[0::2], sorted(X[:96], reverse=True))


def test_init_sort_buf() -> None:
    found = on_tiles("T.tile.init_sort_buf(o, 64, 0)", ZERO)
    assert (found[0:64:2] == -np.inf).all() and (found[1:64:2].view(np.int32) == -1).all()
    assert (found[64:] == 0).all()


# --- experiments ------------------------------------------------------------------------------------

R, V = draw(8, 128), draw(8, seed=2) + 10
ROW = {"mul": R * V[:, None], "sub": R - V[:, None], "div": R / V[:, None]}


@pytest.mark.parametrize("name", ROW)
def test_one_value_for_each_row(name: str) -> None:
    tmp, op = np.zeros((8, 8), np.float32), f"T.tile.row_expand_{name}_experiment"
    found = on_tiles(f"{op}(o, x0, x1, x2)", np.zeros_like(R), R, V, tmp)
    np.testing.assert_allclose(found, ROW[name], rtol=1e-6)
    blocks = np.repeat(V, 8)
    found = on_tiles(f"{op}(o, x0, x1)", np.zeros_like(R), R, blocks)
    np.testing.assert_allclose(found, ROW[name], rtol=1e-6)


def test_row_expand_mul() -> None:
    found = on_tiles("T.tile.row_expand_mul(o, x0, x1)", np.zeros_like(R), R, V)
    np.testing.assert_array_equal(found, ROW["mul"])


def test_brcb() -> None:
    found = on_tiles("T.tile.brcb_experiment(o, x0, 1, 2, 16)", np.zeros(128, np.float32), V)
    want = np.zeros((16, 8), np.float32)
    want[0::2] = V[:, None]
    np.testing.assert_array_equal(found.reshape(16, 8), want)


COUNTED = {
    "sub_experiment(o, x0, x1, 100)": X - X[::-1],
    "abs_experiment(o, x1, 100)": X[::-1],
    "mins_experiment(o, x0, 50.0, 100)": np.minimum(X, 50),
}


@pytest.mark.parametrize("call", COUNTED)
def test_counted_forms(call: str) -> None:
    found = on_tiles(f"T.tile.{call}", ZERO, X, X[::-1].copy())
    np.testing.assert_array_equal(found[:100], COUNTED[call][:100])
    assert (found[100:] == 0).all()


def test_sums() -> None:
    found = on_tiles("T.tile.reduce_sum_experiment(o, x0, 100)", ZERO, X)
    assert found[0] == X[:100].sum() and (found[1:] == 0).all()
    found = on_tiles("T.tile.reduce_sum_mask_experiment(o, x0, 5, 2, 4)", ZERO, X)
    assert found[0] == X[0:5].sum() + X[32:37].sum()
    found = on_tiles("T.tile.sum_experiment(o, x0, [4, 32, 30])", ZERO, X)
    np.testing.assert_array_equal(found[:4], X.reshape(4, 32)[:, :30].sum(axis=1))


def test_gathermask_experiment() -> None:
    bits = np.full(64, 0x99999999, np.uint32)  # the first and the last of every four
    call = "T.tile.gathermask_experiment(o, x0, x1, True, 20, [1, 2, 8, 0], 0)"
    found = on_tiles(call, ZERO, X, bits)
    kept = [X[start + at] for start in (0, 64) for at in range(20) if at % 4 in (0, 3)]
    np.testing.assert_array_equal(found[: len(kept)], kept)


def test_fill_experiment() -> None:
    found = on_tiles("T.tile.fill_experiment(o, 7.0, [5], 2, 1, 8)", ZERO)
    assert sorted(np.flatnonzero(found == 7).tolist()) == [0, 2, 64, 66]


def test_caches_change_nothing() -> None:
    words = '"SINGLE_CACHE_LINE", "CACHELINE_OUT"'
    call = f"T.copy(x0, o)\nT.tile.datacachecleanandinvalid_experiment(O, {words})"
    np.testing.assert_array_equal(on_tiles(call, ZERO, X), X)


# --- deprecated -------------------------------------------------------------------------------------

W = X.reshape(2, 64)


@pytest.mark.parametrize(("name", "best"), [("max", np.argmax), ("min", np.argmin)])
def test_whole_reduce(name: str, best: object) -> None:
    assert callable(best)
    at, call = best(W, axis=1), f"T.tile.wholereduce{name}(o, x0, 64, 2, 1, 1, 8"
    both = on_tiles(f"{call})", ZERO, X)
    np.testing.assert_array_equal(both[[0, 2]], W[[0, 1], at])
    np.testing.assert_array_equal(both[[1, 3]].view(np.uint32), at)
    turned = on_tiles(f'{call}, "ORDER_INDEX_VALUE")', ZERO, X)
    np.testing.assert_array_equal(turned[[1, 3]], W[[0, 1], at])
    value = on_tiles(f'{call}, "ORDER_ONLY_VALUE")', ZERO, X)
    np.testing.assert_array_equal(value[:2], W[[0, 1], at])
    index = on_tiles(f'{call}, "ORDER_ONLY_INDEX")', ZERO, X)
    np.testing.assert_array_equal(index[:2].view(np.uint32), at)


def test_whole_reduce_sum() -> None:
    found = on_tiles("T.tile.wholereducesum(o, x0, 10, 2, 3, 1, 8)", ZERO, X)
    np.testing.assert_array_equal(found[[0, 3]], W[:, :10].sum(axis=1))


@pytest.mark.parametrize(("name", "whole"), [("max", np.max), ("min", np.min), ("sum", np.sum)])
def test_block_reduce(name: str, whole: object) -> None:
    assert callable(whole)
    found = on_tiles(f"T.tile.block_reduce_{name}(o, x0, 2, 64, 1, 1, 8)", ZERO, X)
    np.testing.assert_array_equal(found[:16], whole(X.reshape(16, 8), axis=1))


@pytest.mark.parametrize("by_block", [False, True])
def test_bilinear_interpolation(by_block: bool) -> None:
    """The example of its page: two iterations across, two down."""
    source = np.arange(1, 513, dtype=np.float32).astype(np.float16)
    offsets, weights = np.arange(32, dtype=np.uint32) * 32, np.arange(2, 34).astype(np.float16)
    call = f"T.tile.bilinear_interpolation(o, x0, x1, x2, 128, 2, {by_block}, 1, 128, 2)"
    found = on_tiles(call, np.zeros(256, np.float16), source, offsets, weights)
    factors = np.repeat(weights, 16) if by_block else np.repeat(weights[:4], 128)
    products = (source * factors).reshape(2, 2, 128)
    np.testing.assert_array_equal(found.reshape(2, 128), products[:, 0] + products[:, 1])
