"""Cores that wait for each other, blocks that meet, control flow that differs between cores."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulate.support import draw, kernel, tensor

import tl_ascend
from tl_ascend import simulate
from tl_ascend.simulate import executor

ZERO = np.zeros((4, 64), np.float32)


def through(body: str, *arrays: np.ndarray, **more: str) -> np.ndarray:
    """The last tensor after a kernel with tensors A, B, C."""
    given = [array.copy() for array in arrays]
    params = ", ".join(tensor(name, array) for name, array in zip("ABC", given, strict=False))
    tl_ascend.evaluate(kernel(body, params, **more), *given)
    return given[-1]


HAND_OVER = """
l = T.alloc_L1((32, 32), "float16")
p = T.alloc_L0C((32, 32), "float32")
u = T.alloc_ub((16, 32), "float32")
with T.Scope("V"):
    {wait}
    T.copy(B[vid * 16, 0], u)
    T.tile.add(u, u, 1.0)
    T.copy(u, C[vid * 16, 0])
with T.Scope("C"):
    T.copy(A, l)
    T.gemm_v0(l, l, p, init=True)
    T.copy(p, B)
    {set}
"""


def test_a_flag_orders_the_halves() -> None:
    """The vector cores stand first in the text, and come last."""
    a = draw(32, 32, dtype=np.float16)
    body = HAND_OVER.format(wait="T.wait_cross_flag(3)", set='T.set_cross_flag("fix", 3)')
    work = np.zeros((32, 32), np.float32)
    found = through(body, a, work, np.zeros((32, 32), np.float32))
    product = a.astype(np.float32) @ a.astype(np.float32)
    np.testing.assert_array_equal(found, product + 1)


def test_a_flag_that_nobody_sets_is_a_deadlock() -> None:
    body = HAND_OVER.format(wait="T.wait_cross_flag(3)", set='T.set_cross_flag("fix", 4)')
    arrays = (draw(32, 32, dtype=np.float16), *(np.zeros((32, 32), np.float32) for _ in range(2)))
    what = r"vector core 0 of block 0 waits at T.wait_cross_flag\(3"
    with pytest.raises(simulate.Deadlock, match=what) as got:
        through(body, *arrays)
    assert got.value.span is not None


def test_the_cube_core_waits_for_both_vector_cores() -> None:
    body = """
    with T.Scope("V"):
        if vid == 0:
            T.set_cross_flag("mte3", 1)
    with T.Scope("C"):
        T.wait_cross_flag(1)
    """
    with pytest.raises(simulate.Deadlock, match="cube core of block 0"):
        through(body, ZERO)


def test_flags_count() -> None:
    """Two sets allow two waits, and no third."""
    body = """
    with T.Scope("C"):
        for i in T.serial(2):
            T.set_cross_flag("fix", 1)
    with T.Scope("V"):
        for i in T.serial({times}):
            T.wait_cross_flag(1)
    """
    through(body.format(times=2), ZERO)
    with pytest.raises(simulate.Deadlock):
        through(body.format(times=3), ZERO)


EACH_ALONE = """
l = T.alloc_L1((32, 32), "float16")
p = T.alloc_L0C((32, 32), "float32")
h = T.alloc_ub((16, 32), "float16")
u = T.alloc_ub((16, 32), "float32")
w = T.alloc_ub((16, 32), "float32")
T.tile.fill(u, 0.0)
for i in T.serial(2):
    T.copy(A, l)
    T.gemm_v0(l, l, p, init=True)
    T.copy(p, B)
    for j in T.serial(2):
        T.tile.fill(h, i + 1.0)
        T.copy(h[0:8, :], A[vid * 16 + j * 8, 0])
    T.copy(B[vid * 16, 0], w)
    T.tile.add(u, u, w)
T.copy(u, C[vid * 16, 0])
"""


def test_each_half_of_one_text_is_meant_alone_where_a_read_stands_above_the_write() -> None:
    """The cube core multiplies what the vector cores write below, in the same iteration."""
    options = (
        "pass_configs={'tl.ascend_auto_cv_combine': True, 'tl.ascend_auto_cross_core_sync': True}"
    )
    start = np.full((32, 32), 100, np.float16)
    work, sums = np.zeros((32, 32), np.float32), np.zeros((32, 32), np.float32)
    assert (through(EACH_ALONE, start, work, sums, options=options) == 32 * (1 + 4)).all()
    in_order_of_the_text = through(EACH_ALONE, start, work, sums)
    assert (in_order_of_the_text == 32 * (100 * 100 + 1)).all()


FROM_BELOW = """
f = T.alloc_L1((32, 32), "float16")
p = T.alloc_L0C((32, 32), "float32")
h = T.alloc_ub((32, 32), "float16")
u = T.alloc_ub((32, 32), "float32")
w = T.alloc_ub((32, 32), "float32")
T.tile.fill(u, 0.0)
{before}
for i in T.serial(3):
    T.gemm_v0(f, f, p, init=True)
    T.copy(p, w)
    T.tile.add(u, u, w)
    T.tile.fill(h, i + 1.0)
    T.copy(h, f)
T.copy(u, A)
"""
SYNCED = "pass_configs={'tl.ascend_auto_cv_combine': True, 'tl.ascend_auto_cross_core_sync': True}"


def test_tiles_of_the_other_half_may_be_read_above_the_copy_that_brings_them() -> None:
    """Each product takes what the vector core brings below, unless something came before the loop: then
    the text says in which order."""
    more = {"launch": "threads=2, is_npu=True", "options": SYNCED}
    body = FROM_BELOW.format(before="")
    # The vector core adds up before it brings the tile, so neither half can be first.
    with pytest.raises(simulate.Deadlock):
        through(body, np.zeros((32, 32), np.float32), **more)
    add = "    T.tile.add(u, u, w)\n"
    later = body.replace(add, "").replace("    T.copy(h, f)\n", f"    T.copy(h, f)\n{add}")
    found = through(later, np.zeros((32, 32), np.float32), **more)
    assert (found == 32 * (1 + 4 + 9)).all()
    first = "T.tile.fill(h, 5.0)\nT.copy(h, f)"
    found = through(FROM_BELOW.format(before=first), np.zeros((32, 32), np.float32), **more)
    assert (found == 32 * (25 + 1 + 4)).all()
    # The first iteration leaves the read out: it takes what the one before has brought.
    skipped = later.replace("    T.gemm_v0", "    if i > 0:\n        T.gemm_v0")
    skipped = skipped.replace("    T.tile.add", "    if i > 0:\n        T.tile.add")
    found = through(skipped, np.zeros((32, 32), np.float32), **more)
    assert (found == 32 * (1 + 4)).all()


def test_loops_of_each_half_run_side_by_side() -> None:
    """Each has a loop of its own, as two programs would."""
    options = (
        "pass_configs={'tl.ascend_auto_cv_combine': True, 'tl.ascend_auto_cross_core_sync': True}"
    )
    head, rest = EACH_ALONE.split("    for j in T.serial(2):")
    apart = f"{head}for i in T.serial(2):\n    for j in T.serial(2):{rest}"
    start = np.full((32, 32), 100, np.float16)
    work, sums = np.zeros((32, 32), np.float32), np.zeros((32, 32), np.float32)
    assert (through(apart, start, work, sums, options=options) == 32 * (1 + 4)).all()


def test_blocks_meet_at_sync_all() -> None:
    """Each block reads what the next one wrote before."""
    body = """
    t = T.alloc_ub((1, 64), "float32")
    T.tile.fill(t, cid + 1.0)
    T.copy(t, A[cid, 0])
    T.sync_all()
    T.copy(A[(cid + 1) % 4, 0], t)
    T.copy(t, B[cid, 0])
    """
    found = through(body, ZERO, ZERO, blocks="4")
    np.testing.assert_array_equal(found[:, 0], [2, 3, 4, 1])


def test_a_block_that_never_comes_is_a_deadlock() -> None:
    body = "if cid > 0:\n    T.sync_all()"
    with pytest.raises(simulate.Deadlock, match="sync_all"):
        through(body, ZERO, blocks="2")


def test_vector_cores_take_branches_of_their_own() -> None:
    body = """
    t = T.alloc_ub((1, 64), "float32")
    if vid == 0:
        T.tile.fill(t, 1.0)
    else:
        T.tile.fill(t, 2.0)
    for i in T.serial(vid + 1):
        T.tile.add(t, t, 10.0)
    T.copy(t, A[vid, 0])
    """
    found = through(body, ZERO)
    np.testing.assert_array_equal(found[:2, 0], [11, 22])


def test_variables_while_and_break() -> None:
    body = """
    t = T.alloc_ub((1, 64), "float32")
    left = T.alloc_var("int32", init=5 + vid)
    total = T.alloc_var("int32", init=0)
    T.copy(A[0, 0], t)
    while left > 0:
        left = left - 1
        total = total + left
        if total > 10:
            T.loop_break()
    t[0, 0] = total
    T.copy(t, A[vid, 0])
    """
    found = through(body, ZERO)
    assert found[:2, 0].tolist() == [10, 12]  # 4+3+2+1+0, and 5+4+3


def test_a_loop_without_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "MOST_TURNS", 100)
    body = 'n = T.alloc_var("int32", init=1)\nwhile n > 0:\n    n = n + 1'
    with pytest.raises(simulate.EvaluationError, match="does not end in 100 turns"):
        through(body, ZERO)


def test_one_vector_core_where_threads_says_so() -> None:
    body = 't = T.alloc_ub((1, 64), "float32")\nT.tile.fill(t, 1.0)\nT.tile.atomic_add(A[0, 0], t)'
    assert through(body, ZERO, launch="threads=1, is_npu=True")[0, 0] == 1
    assert through(body, ZERO)[0, 0] == 2


def test_work_of_the_other_half_in_a_scope_is_told() -> None:
    body = 't = T.alloc_ub((1, 64), "float32")\nwith T.Scope("C"):\n    T.tile.exp(t, t)'
    with pytest.raises(simulate.UnsupportedOperation, match="work of the other half"):
        through(body, ZERO)


def test_other_processing_elements_are_told() -> None:
    for call in ("put_nbi(B, A", "get_nbi(B, A", "ub_put_nbi(t, A", "ub_get_nbi(t, A"):
        body = f't = T.alloc_ub((4, 64), "float32")\nT.shmem_{call}, 64, 1)'
        with pytest.raises(simulate.UnsupportedOperation, match="one is evaluated alone") as got:
            through(body, ZERO, ZERO)
        assert got.value.span is not None


def test_what_is_printed_is_collected() -> None:
    body = """
    t = T.alloc_ub((1, 64), "float32")
    with T.Scope("V"):
        T.tile.fill(t, 2.5)
        T.printf("%d of %s: %.1f %%\\n", cid, "A", t[0, 3])
        T.dump_tensor(t, 7, 4)
    """
    found = simulate.run(kernel(body, tensor("A", ZERO), launch="threads=1, is_npu=True"), ZERO)
    text, dump = found.printed
    assert text.core == "vector core 0 of block 0" and text.text == "0 of A: 2.5 %\n"
    assert dump.mark == 7
    np.testing.assert_array_equal(dump.elements, np.full(4, 2.5))
