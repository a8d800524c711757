"""Memory that nothing wrote, and accesses outside of buffers."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
from tests.simulate.support import draw, kernel, tensor

import tl_ascend
from tl_ascend import simulate

X = draw(8, 64)
TILES = 't = T.alloc_ub((8, 64), "float32")\nu = T.alloc_ub((8, 64), "float32")\n'


def through(body: str, launch: str = "is_npu=True") -> np.ndarray:
    given = X.copy()
    text = TILES + textwrap.dedent(body)
    tl_ascend.evaluate(kernel(text, tensor("A", given), launch=launch), given)
    return given


@pytest.mark.parametrize(
    "body",
    [
        "T.copy(t, A)",
        "T.tile.add(u, t, 1.0)\nT.copy(u, A)",
        "T.tile.fill(u, 1.0)\nT.tile.mul(u, u, t)\nT.copy(u, A)",
        "T.copy(A, u)\nT.tile.add(u, u, t[0, 0])\nT.copy(u, A)",
        "for i, j in T.Parallel(8, 64):\n    u[i, j] = t[i, j]\nT.copy(u, A)",
        "T.tile.fill(u, 1.0)\nu[1, 2] = t[3, 4]\nT.copy(u, A)",
        'm = T.alloc_ub((64,), "uint8")\nT.copy(A, u)\n'
        'T.tile.select(u, m, u, 1.0, "VSEL_TENSOR_SCALAR_MODE")\nT.copy(u, A)',
        "v = T.alloc_var('float32')\nA[0, 0] = v",
        "T.reduce_sum(t, u[0, 0:8])\nT.copy(u[0, 0:8], A[0, 0])",
    ],
)
def test_a_result_that_shows_it_is_told(body: str) -> None:
    with pytest.raises(simulate.UnwrittenMemory, match="of A, the first at") as got:
        through(body)
    assert got.value.span is not None


@pytest.mark.parametrize(
    "body",
    [
        "T.tile.add(u, t, 1.0)\nT.copy(A, t)\nT.copy(t, A)",
        "T.copy(A, u)\nT.tile.add(u[0:4, :], u[0:4, :], u[4:8, :])\nT.copy(u, A)",
        "T.tile.add(u, t, 1.0)\nT.tile.fill(u, 0.0)\nT.copy(u, A)",
        "T.copy(A, u)\nT.copy(A[0:4, :], t[0:4, :])\nT.tile.mul(u, u, t)\nT.copy(u[0:4, :], A[0, 0])",
        "T.copy(A, u)\nfor i, j in T.Parallel(8, 64):\n"
        "    u[i, j] = T.if_then_else(j < 64, u[i, j], t[i, j])\nT.copy(u, A)",
    ],
)
def test_what_shows_in_no_result_is_not(body: str) -> None:
    through(body)


def test_a_mask_is_spoiled_by_whole_bytes() -> None:
    """Here the first four of eight columns exist."""
    body = """
    m = T.alloc_ub((64,), "uint8")
    for r in T.serial(8):
        T.copy(A[r, 0:4], t[r, 0:4])
    T.tile.compare(m, t, 0.0, "GT")
    T.tile.select(u, m, t, {other}, "VSEL_TENSOR_SCALAR_MODE")
    T.copy(u[:, {first}:{first} + 4], A[:, {first}:{first} + 4])
    """
    found = through(body.format(other="9.0", first=0))
    np.testing.assert_array_equal(found[:, :4], np.where(X[:, :4] > 0, X[:, :4], 9))
    with pytest.raises(simulate.UnwrittenMemory):
        through(body.format(other="9.0", first=8))


def test_only_the_spoiled_elements_count() -> None:
    body = "T.copy(A[0:4, :], t[0:4, :])\nT.copy(t, A)"
    with pytest.raises(simulate.UnwrittenMemory, match=r"256 elements of A, the first at \[4, 0\]"):
        through(body)


def test_a_product_is_spoiled_by_rows_and_columns() -> None:
    a, c = draw(32, 32, dtype=np.float16), np.zeros((32, 32), np.float32)
    body = """
    l = T.alloc_L1((32, 32), "float16")
    r = T.alloc_L1((32, 32), "float16")
    p = T.alloc_L0C((32, 32), "float32")
    T.copy(A, r)
    T.copy(A[16:32, :], l[16:32, :])
    T.gemm_v0(l, r, p, init=True)
    T.copy(p[{first}:32, :], C[{first}:32, :])
    """
    params = f"{tensor('A', a)}, {tensor('C', c)}"
    tl_ascend.evaluate(kernel(body.format(first=16), params), a, c)
    with pytest.raises(simulate.UnwrittenMemory, match=r"512 elements of C, the first at \[0, 0\]"):
        tl_ascend.evaluate(kernel(body.format(first=0), params), a, c)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("if t[0, 0] > 0.0:\n    T.copy(A, t)", "a condition"),
        ("n = T.alloc_var('int32')\nfor i in T.serial(n):\n    T.copy(A, t)", "a bound"),
        ("n = T.alloc_var('int32')\nT.copy(A[n, 0], t)", "an index"),
    ],
)
def test_what_decides_is_told_at_once(body: str, what: str) -> None:
    with pytest.raises(simulate.UnwrittenMemory, match=what):
        through(body)


def test_a_workspace_may_hold_what_nobody_wrote() -> None:
    body = """
    T.copy(A, u)
    T.copy(t, B)
    T.copy(u[0:4, :], B[0:4, :])
    T.copy(B, t)
    T.copy(t[0:4, :], C[0:4, :])
    T.copy(u[4:8, :], C[4:8, :])
    """
    params = ", ".join(f'{name}: T.Tensor((8, 64), "float32")' for name in "ABC")
    options = "out_idx=[-1], workspace_idx=[1]"
    found = tl_ascend.evaluate(kernel(TILES + textwrap.dedent(body), params, options=options), X)
    np.testing.assert_array_equal(found, X)


@pytest.mark.parametrize(
    "body",
    [
        "T.copy(A, t)\nfor i in T.serial(9):\n    t[i, 0] = 1.0",
        "for i in T.Parallel(9):\n    t[i, 0] = 1.0",
        "T.tile.exp(t[7:9, :], u[0:2, :])",
    ],
)
def test_beyond_a_tile_is_told(body: str) -> None:
    with pytest.raises((simulate.OutOfBounds, ValueError)):
        through(body)


def test_elements_beyond_a_tensor_are_zero_and_not_written() -> None:
    """As upstream's safe accesses make them."""
    body = """
    T.copy(A, u)
    for i, j in T.Parallel(8, 64):
        t[i, j] = A[i + 4, j]
    for i, j in T.Parallel(8, 64):
        A[i + 4, j] = t[i, j] + 1.0
    """
    found = through(body, "threads=1, is_npu=True")
    np.testing.assert_array_equal(found[:4], X[:4])
    np.testing.assert_array_equal(found[4:], X[4:] + 1)
