"""T.copy at the edges of tensors, and on the cube core."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulate.support import draw, kernel, tensor

import tl_ascend
from tl_ascend import simulate

X = draw(20, 40)


def through(body: str, *arrays: np.ndarray, **more: str) -> np.ndarray:
    """The last tensor after a kernel with tensors A, B, C."""
    given = [array.copy() for array in arrays]
    params = ", ".join(tensor(name, array) for name, array in zip("ABC", given, strict=False))
    tl_ascend.evaluate(kernel(body, params, **more), *given)
    return given[-1]


def test_what_does_not_exist_is_padded() -> None:
    body = """
    t = T.alloc_ub((16, 64), "float32")
    T.copy(A[10:26, 0:64], t, pad_value=5.0)
    T.copy(t, B)
    """
    found = through(body, X, np.zeros((16, 64), np.float32))
    want = np.full((16, 64), 5, np.float32)
    want[:10, :40] = X[10:]
    np.testing.assert_array_equal(found, want)


def test_only_what_exists_is_written() -> None:
    body = """
    t = T.alloc_ub((16, 64), "float32")
    T.tile.fill(t, 3.0)
    T.copy(t, A[10:26, 0:64])
    """
    found = through(body, X)
    np.testing.assert_array_equal(found[:10], X[:10])
    assert (found[10:] == 3).all()


PART = """
    t = T.alloc_ub((16, 64), "float32")
    T.tile.fill(t, 3.0)
    T.copy(A[0:10, 0:{width}], t[0:10, 0:{width}])
    T.copy(t[:, {first}:64], B[:, {first}:64])
"""


@pytest.mark.parametrize(("width", "first"), [(10, 10), (10, 15), (33, 39)])
def test_a_transfer_spoils_the_rest_of_a_block(width: int, first: int) -> None:
    with pytest.raises(simulate.UnwrittenMemory, match="[16]0 elements of B"):
        through(PART.format(width=width, first=first), X, np.zeros((16, 64), np.float32))


@pytest.mark.parametrize(("width", "first"), [(10, 16), (16, 16), (33, 40)])
def test_whole_blocks_beside_a_transfer_stay(width: int, first: int) -> None:
    found = through(PART.format(width=width, first=first), X, np.zeros((16, 64), np.float32))
    assert (found[:, first:] == 3).all()


RUN = """
    t = T.alloc_ub((4, 10), "float32")
    T.tile.fill(t, 3.0)
    T.copy(A[0, 0:10], t[0, :])
    T.copy(t[{rows}, {columns}], B[{rows}, {columns}])
"""


def test_the_last_block_of_a_row_may_reach_into_the_next_one() -> None:
    with pytest.raises(simulate.UnwrittenMemory, match="1 elements of B"):
        through(RUN.format(rows="1", columns="5:6"), X, np.zeros((4, 10), np.float32))
    found = through(RUN.format(rows="1", columns="6:10"), X, np.zeros((4, 10), np.float32))
    assert (found[1, 6:] == 3).all()


def test_a_transfer_to_l1_fills_the_last_block_with_0() -> None:
    body = """
    l = T.alloc_L1((32, 48), "float16")
    e = T.alloc_L1((48, 48), "float16")
    p = T.alloc_L0C((32, 48), "float32")
    T.copy(A[0:32, :], l)
    T.copy(A, e)
    T.copy(B[0:{rows}, 0:{columns}], l[0:{rows}, 0:{columns}])
    T.gemm_v0(l, e, p, init=True)
    T.copy(p, C)
    """
    unit, other = np.eye(48, dtype=np.float16), np.full((32, 48), 2, np.float16)
    for rows, columns, last in ((16, 10, 16), (10, 16, 16), (3, 33, 48)):
        given = body.format(rows=rows, columns=columns)
        found = through(given, unit, other, np.zeros((32, 48), np.float32))
        want = unit[:32].astype(np.float32)
        want[:rows, :last] = 0
        want[:rows, :columns] = 2
        np.testing.assert_array_equal(found, want)


def test_a_tile_before_the_tensor_is_told() -> None:
    body = 't = T.alloc_ub((16, 40), "float32")\nT.copy(A[cid - 1, 0], t)'
    with pytest.raises(simulate.OutOfBounds, match="leaves A"):
        through(body, X)


@pytest.mark.parametrize("relu", [False, True])
def test_a_product_leaves_through_fixpipe(relu: bool) -> None:
    a, b = draw(20, 40, dtype=np.float16), draw(40, 24, seed=2, dtype=np.float16)
    body = f"""
    l = T.alloc_L1((32, 48), "float16")
    r = T.alloc_L1((48, 32), "float16")
    p = T.alloc_L0C((32, 32), "float32")
    T.copy(A[0:32, 0:48], l)
    T.copy(B[0:48, 0:32], r)
    T.gemm_v0(l, r, p, init=True)
    T.gemm_v0(l, r, p)
    T.copy(p, C[0:32, 0:32], enable_relu={relu})
    """
    want = 2 * (a.astype(np.float32) @ b.astype(np.float32))
    want = np.maximum(want, 0) if relu else want
    np.testing.assert_array_equal(through(body, a, b, np.zeros((20, 24), np.float16)), want)


def test_int8_accumulates_in_int32() -> None:
    a = draw(32, 64, dtype=np.int8, low=-128, high=128)
    b = draw(32, 64, seed=2, dtype=np.int8, low=-128, high=128)
    body = """
    l = T.alloc_L1((32, 64), "int8")
    r = T.alloc_L1((32, 64), "int8")
    p = T.alloc_L0C((32, 32), "int32")
    T.copy(A, l)
    T.copy(B, r)
    T.gemm_v0(l, r, p, transpose_B=True, init=True)
    T.copy(p, C)
    """
    found = through(body, a, b, np.zeros((32, 32), np.int32))
    np.testing.assert_array_equal(found, a.astype(np.int32) @ b.astype(np.int32).T)


def test_l0_operands_may_be_transposed() -> None:
    a, b = draw(32, 16, dtype=np.float16), draw(32, 48, seed=2, dtype=np.float16)
    body = """
    l = T.alloc_L1((32, 16), "float16")
    r = T.alloc_L1((32, 48), "float16")
    x = T.alloc_L0A((16, 32), "float16")
    y = T.alloc_L0B((32, 48), "float16")
    p = T.alloc_L0C((16, 48), "float32")
    T.copy(A, l)
    T.copy(B, r)
    T.copy(l, x, transpose=True)
    T.copy(r, y)
    T.mma(x, y, p, init=True)
    T.copy(p, C)
    """
    found = through(body, a, b, np.zeros((16, 48), np.float32))
    np.testing.assert_array_equal(found, a.T.astype(np.float32) @ b.astype(np.float32))


def test_halves_round_on_the_way_within_the_ub() -> None:
    body = """
    a = T.alloc_ub((8, 16), "float32")
    b = T.alloc_ub((8, 16), "float16")
    T.copy(A, a)
    T.copy(a, b)
    T.copy(b, B)
    """
    x = draw(8, 16) + np.float32(2**-12)
    np.testing.assert_array_equal(through(body, x, np.zeros((8, 16), np.float16)), np.float16(x))


def test_atomic_add_adds_once_for_each_core() -> None:
    body = """
    t = T.alloc_ub((8, 16), "float32")
    T.copy(A, t)
    T.tile.atomic_add(B, t)
    """
    x, y = draw(8, 16), draw(8, 16, seed=2)
    np.testing.assert_array_equal(through(body, x, y, blocks="3"), y + 6 * x)
    np.testing.assert_array_equal(through(body, x, y, launch="threads=1, is_npu=True"), x + y)


def test_both_halves_hand_tiles_to_each_other() -> None:
    """Without paths on the hardware: program order says what comes first."""
    a = draw(32, 32, dtype=np.float16)
    body = """
    u = T.alloc_ub((16, 32), "float16")
    l = T.alloc_L1((32, 32), "float16")
    p = T.alloc_L0C((32, 32), "float32")
    s = T.alloc_ub((16, 32), "float32")
    T.copy(A[vid * 16, 0], u)
    T.tile.add(u, u, 1.0)
    T.copy(u, l[vid * 16:vid * 16 + 16, :])
    T.gemm_v0(l, l, p, init=True)
    T.copy(p[vid * 16:vid * 16 + 16, :], s)
    T.copy(s, B[vid * 16, 0])
    """
    more = a.astype(np.float32) + 1
    np.testing.assert_array_equal(through(body, a, np.zeros((32, 32), np.float32)), more @ more)


def test_a_half_may_hand_over_in_its_own_scope() -> None:
    a = draw(32, 32, dtype=np.float16)
    body = """
    l = T.alloc_L1((32, 32), "float16")
    p = T.alloc_L0C((32, 32), "float32")
    s = T.alloc_ub((16, 32), "float32")
    with T.Scope("C"):
        T.copy(A, l)
        for k in T.serial(2):
            T.gemm_v0(l, l, p, init=True)
            T.copy(p[vid * 16 + 0 * k:vid * 16 + 16 + 0 * k, :], s)
            T.set_cross_flag("fix", 0)
    with T.Scope("V"):
        for k in T.serial(2):
            T.wait_cross_flag(0)
        T.copy(s, B[vid * 16, 0])
    """
    wide = a.astype(np.float32)
    np.testing.assert_array_equal(through(body, a, np.zeros((32, 32), np.float32)), wide @ wide)


def test_a_view_may_be_larger_than_its_buffer() -> None:
    body = """
    t = T.alloc_ub((8, 16), "float32")
    w = T.alloc_ub((16, 16), "int32")
    T.reinterpretcast(w, t, "int32_t")
    T.copy(A, t)
    w[0, 1] = 1065353216
    T.copy(t, A)
    """
    x = draw(8, 16)
    want = x.copy()
    want[0, 1] = 1  # these bits
    np.testing.assert_array_equal(through(body, x), want)


def test_two_threads_share_whole_tiles() -> None:
    body = """
    t = T.alloc_ub((20, 40), "float32")
    s = T.alloc_ub((20,), "float32")
    T.copy(A, t)
    T.reduce_sum(t, s)
    T.copy(s, B)
    """
    found = through(body, X, np.zeros(20, np.float32), launch="threads=2, is_npu=True")
    np.testing.assert_array_equal(found, X.sum(axis=1))


def test_what_has_no_path_says_so() -> None:
    body = 'l = T.alloc_L1((20, 40), "float32")\nT.copy(A, l)\nT.copy(l, A)'
    with pytest.raises(simulate.UnsupportedOperation, match="no data path from L1 to GM"):
        through(body, X)
