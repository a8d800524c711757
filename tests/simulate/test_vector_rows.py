"""Rows of vector arithmetic, conversion, comparison and reduction, against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulate.support import draw, on_tiles

A, B = draw(8, 64), draw(8, 64, seed=2)
P = np.abs(A) + 1  # positive
U, W = draw(8, 64, dtype=np.int16), draw(8, 64, seed=2, dtype=np.int16)
H = draw(8, 64, dtype=np.float16)
Z = np.zeros_like(A)
BINARY = {
    "add": A + B,
    "sub": A - B,
    "mul": A * B,
    "div": A / P,
    "max": np.where(A > B, A, B),
    "min": np.where(A < B, A, B),
}
UNARY = {
    "exp": np.exp(P),
    "ln": np.log(P),
    "abs": np.sqrt(A * A),
    "reciprocal": 1 / P,
    "sqrt": np.sqrt(P),
    "rsqrt": P**-0.5,
    "relu": A * (A > 0),
}


@pytest.mark.parametrize("name", BINARY)
def test_two_tiles(name: str) -> None:
    found = on_tiles(f"T.tile.{name}(o, x0, x1)", Z, A, P if name == "div" else B)
    np.testing.assert_allclose(found, BINARY[name], rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("add", A + 3),
        ("sub", A - 3),
        ("mul", A * 3),
        ("div", A / 3),
        ("max", np.clip(A, 3, None)),
        ("min", np.clip(A, None, 3)),
    ],
)
def test_a_tile_and_a_scalar(name: str, want: np.ndarray) -> None:
    np.testing.assert_allclose(on_tiles(f"T.tile.{name}(o, x0, 3.0)", Z, A), want, rtol=1e-6)
    element = on_tiles(f"T.tile.fill(x1, 3.0)\nT.tile.{name}(o, x0, x1[1, 2])", Z, A, B)
    np.testing.assert_allclose(element, want, rtol=1e-6)


@pytest.mark.parametrize("name", UNARY)
def test_one_tile(name: str) -> None:
    source = A if name in ("abs", "relu") else P
    np.testing.assert_allclose(on_tiles(f"T.tile.{name}(o, x0)", Z, source), UNARY[name], rtol=1e-6)


def test_integers_wrap_around() -> None:
    big = np.full((8, 64), 30000, np.int16)
    found = on_tiles("T.tile.add(o, x0, x1)", np.zeros_like(U), big, big)
    assert (found == 60000 - 65536).all()


def test_halves_round_after_each_operation() -> None:
    x = np.full((8, 64), 2049, np.float32).astype(np.float16)  # 2048: one digit is lost
    found = on_tiles("T.tile.add(o, x0, x1)", np.zeros_like(x), x, np.ones_like(x))
    assert (found == np.float16(2048)).all()  # 2049 rounds to even again


def test_bfloat16_rounds_to_nearest_even() -> None:
    x = np.array([1 + 2**-8, 1 + 3 * 2**-8, -1 - 2**-8, 1.0], np.float32)
    x = np.tile(x, 16)
    kinds = {"x0": "bfloat16", "o": "bfloat16"}
    found = on_tiles("T.copy(x0, o)", np.zeros_like(x), x, dtypes=kinds)
    np.testing.assert_array_equal(found[:4], [1, 1 + 2**-6, -1, 1])


def test_fill_and_clear() -> None:
    assert (on_tiles("T.tile.fill(o, -2.5)", Z) == -2.5).all()
    assert (on_tiles("T.tile.clear(o)", A) == 0).all()


@pytest.mark.parametrize(
    ("mode", "want"),
    [
        ("RINT", [2, -2, 2, 4, 3]),
        ("FLOOR", [1, -2, 2, 3, 2]),
        ("CEIL", [2, -1, 3, 4, 3]),
        ("ROUND", [2, -2, 3, 4, 3]),
        ("TRUNC", [1, -1, 2, 3, 2]),
    ],
)
def test_cast_to_integers(mode: str, want: list[int]) -> None:
    x = np.resize(np.array([1.5, -1.5, 2.5, 3.5, 2.7], np.float32), 40)
    found = on_tiles(f'T.tile.cast(o, x0, "CAST_{mode}", 40)', np.zeros(40, np.int32), x)
    np.testing.assert_array_equal(found[:5], want)


def test_cast_saturates() -> None:
    x = np.resize(np.array([70000.0, -70000, 12], np.float32), 24)
    found = on_tiles('T.tile.cast(o, x0, "CAST_RINT", 24)', np.zeros(24, np.int16), x)
    np.testing.assert_array_equal(found[:3], [32767, -32768, 12])


@pytest.mark.parametrize(
    ("mode", "up"),
    [("RINT", 0), ("FLOOR", 0), ("CEIL", 1), ("TRUNC", 0), ("ODD", 1), ("ROUND", 1)],
)
def test_cast_to_halves(mode: str, up: int) -> None:
    x = np.full(16, 1 + 2**-11, np.float32)  # between 1 and 1 + 2**-10
    found = on_tiles(f'T.tile.cast(o, x0, "CAST_{mode}", 16)', np.zeros(16, np.float16), x)
    assert (found == np.float16(1 + up * 2**-10)).all()


def test_cast_with_the_scale_of_set_deq_scale() -> None:
    x = draw(64, dtype=np.int32)
    call = 'T.set_deq_scale(0.5)\nT.tile.cast(o, x0, "CAST_NONE", 64)'
    np.testing.assert_array_equal(on_tiles(call, np.zeros(64, np.float16), x), x / 2)


def test_cast_covers_count_elements() -> None:
    found = on_tiles('T.tile.cast(o, x0, "CAST_NONE", 64)', Z, H)
    np.testing.assert_array_equal(found[0], H[0])
    assert (found[1:] == 0).all()


def test_broadcast() -> None:
    row, column = draw(1, 64), draw(8, 1)
    np.testing.assert_array_equal(on_tiles("T.tile.broadcast(o, x0)", Z, row), np.repeat(row, 8, 0))
    found = on_tiles("T.tile.broadcast(o, x0)", Z, column)
    np.testing.assert_array_equal(found, np.repeat(column, 64, 1))


COMPARISONS = {"EQ": A == B, "NE": A != B, "GT": A > B, "GE": A >= B, "LT": A < B, "LE": A <= B}


@pytest.mark.parametrize("mode", COMPARISONS)
def test_compare_makes_bits(mode: str) -> None:
    found = on_tiles(f'T.tile.compare(o, x0, x1, "{mode}")', np.zeros(64, np.uint8), A, B)
    bits = [byte >> at & 1 for byte in found.tolist() for at in range(8)]
    np.testing.assert_array_equal(bits, COMPARISONS[mode].ravel())


def test_compare_with_a_scalar() -> None:
    found = on_tiles('T.tile.compare(o, x0, 1.0, "GT")', np.zeros(64, np.uint8), A)
    assert sum(int(byte).bit_count() for byte in found) == (A > 1).sum()


MASK = np.array([0b00001111] * 64, np.uint8)
HALVES = np.tile([True] * 4 + [False] * 4, 64).reshape(8, 64)


def test_select() -> None:
    tiles = on_tiles('T.tile.select(o, x0, x1, x2, "VSEL_TENSOR_TENSOR_MODE")', Z, MASK, A, B)
    np.testing.assert_array_equal(tiles, np.where(HALVES, A, B))
    scalar = on_tiles('T.tile.select(o, x0, x1, 9.0, "VSEL_TENSOR_SCALAR_MODE")', Z, MASK, A)
    np.testing.assert_array_equal(scalar, np.where(HALVES, A, 9))


def test_select_by_the_mask_register_takes_the_same_bits_each_repeat() -> None:
    mask = np.zeros(64, np.uint8)
    mask[:8] = 0b01010101  # the 64 floats of one repeat
    found = on_tiles('T.tile.select(o, x0, x1, x2, "VSEL_CMPMASK_SPR")', Z, mask, A, B)
    even = np.arange(64) % 2 == 0
    np.testing.assert_array_equal(found, np.where(even, A, B))


@pytest.mark.parametrize(("name", "whole"), [("sum", np.sum), ("max", np.max), ("min", np.min)])
def test_reductions(name: str, whole: object) -> None:
    assert callable(whole)
    rows = on_tiles(f"T.reduce_{name}(x0, o)", np.zeros(8, np.float32), A)
    np.testing.assert_array_equal(rows, whole(A, axis=1))
    columns = on_tiles(f"T.reduce_{name}(x0, o, dim=0)", np.zeros((1, 64), np.float32), A)
    np.testing.assert_array_equal(columns[0], whole(A, axis=0))
    part = on_tiles(f"T.reduce_{name}(x0, o, real_shape=[3, 5])", np.zeros(8, np.float32), A)
    np.testing.assert_array_equal(part[:3], whole(A[:3, :5], axis=1))


def test_reductions_that_go_on() -> None:
    old = draw(8, seed=3)
    found = on_tiles("T.reduce_max(x0, o, dim=-1, clear=False)", old, A)
    np.testing.assert_array_equal(found, np.maximum(A.max(axis=1), old))
    found = on_tiles('T.reduce(x0, o, "reduce_sum", -1, clear=False)', old, A)
    np.testing.assert_array_equal(found, A.sum(axis=1) + old)


BITS = {"and": U & W, "or": U | W, "xor": U ^ W}


@pytest.mark.parametrize("name", BITS)
def test_bits(name: str) -> None:
    found = on_tiles(f"T.tile.bitwise_{name}(o, x0, x1)", np.zeros_like(U), U, W)
    np.testing.assert_array_equal(found, BITS[name])


def test_bits_of_one_tile() -> None:
    zero = np.zeros_like(U)
    np.testing.assert_array_equal(on_tiles("T.tile.bitwise_not(o, x0)", zero, U), -1 - U)
    np.testing.assert_array_equal(on_tiles("T.tile.bitwise_lshift(o, x0, 3)", zero, U), U * 8)
    np.testing.assert_array_equal(on_tiles("T.tile.bitwise_rshift(o, x0, 1)", zero, U), U // 2)


MATH = {
    "leaky_relu(o, x0, 0.5)": np.where(A > 0, A, A / 2),
    "sin(o, x0)": np.sin(A),
    "cos(o, x0)": np.cos(A),
    "sigmoid(o, x0)": 1 / (1 + np.exp(-A)),
    "silu(o, x0)": A / (1 + np.exp(-A)),
    "clamp_max(o, x0, 1.0, 512)": np.clip(A, None, 1),
    "clamp_min(o, x0, 1.0, 512)": np.clip(A, 1, None),
    "clamp(o, x0, -2.0, 1.0, 512)": np.clip(A, -2, 1),
    "axpy(o, x0, 3.0)": B + 3 * A,
    "mul_add_dst(o, x0, x0)": A * A + B,
    "pow(o, x0, x0)": None,
    "createvecindex(o, 5.0)": 5 + np.arange(512).reshape(8, 64),
    "arith_progression(o, 1.0, -0.5, 512)": 1 - np.arange(512).reshape(8, 64) / 2,
}


@pytest.mark.parametrize("call", MATH)
def test_functions(call: str) -> None:
    source = P if "pow" in call else A
    want = P**P if "pow" in call else MATH[call]
    np.testing.assert_allclose(on_tiles(f"T.tile.{call}", B, source), want, rtol=1e-6, atol=1e-6)


def test_round_goes_to_even() -> None:
    x = np.resize(np.array([0.5, 1.5, -2.5, 2.4], np.float32), 64)
    found = on_tiles("T.tile.round(o, x0, 64)", np.zeros(64, np.float32), x)
    np.testing.assert_array_equal(found[:4], [0, 2, -2, 2])


def test_transpose() -> None:
    x = draw(16, 32)
    found = on_tiles("T.tile.transpose(o, x0)", np.zeros((32, 16), np.float32), x)
    np.testing.assert_array_equal(found, x.T)


def test_parts_of_tiles() -> None:
    found = on_tiles("T.tile.add(o[2:4, 8:16], x0[0:2, 0:8], x0[4:6, 16:24])", Z, A)
    want = np.zeros_like(A)
    want[2:4, 8:16] = A[0:2, 0:8] + A[4:6, 16:24]
    np.testing.assert_array_equal(found, want)


def test_division_by_a_scalar_is_a_product_with_its_reciprocal() -> None:
    x = np.arange(1, 65, dtype=np.float32)
    want = x * (np.float32(1) / np.float32(49))
    assert np.any(want != x / np.float32(49))
    np.testing.assert_array_equal(on_tiles("T.tile.div(o, x0, 49.0)", np.zeros_like(x), x), want)
    loop = """
    for i in T.Parallel(64):
        o[i] = x0[i] / 49.0
    """
    np.testing.assert_array_equal(on_tiles(loop, np.zeros_like(x), x), want)
    np.testing.assert_array_equal(
        on_tiles("T.tile.div(o, x0, x1)", np.zeros_like(x), x, np.full_like(x, 49)),
        x / np.float32(49),
    )
