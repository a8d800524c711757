"""Rings of flags over symbolic sizes with one call missing, too many, or of another slot: the call at
fault is told, with the least size, and the repair mends it."""

from __future__ import annotations

import pytest
from tests.harness.compare import analyse

from tl_ascend.ide.fixing import edited
from tl_ascend.ide.model import Diagnostic

PATH = "/case/kernel.py"
RING = """import tilelang.language as T

M = T.symbolic("M")


@T.prim_func
def main(A: T.Tensor((M, 256), "float16"), C: T.Tensor((M, 256), "float16")):
    with T.Kernel(20, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 8, 256), "float16")
        core = cid * 2 + vid
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 0)
            T.set_flag("mte3", "mte2", 1)
            for t in T.serial(TURNS):
                T.wait_flag("mte3", "mte2", t % 2)
                T.copy(A[(t * 40 + core) * 8, 0], x[t % 2, :, :])
                T.set_flag("mte2", "v", t % 2)
                T.wait_flag("mte2", "v", t % 2)
                T.tile.exp(x[t % 2, :, :], x[t % 2, :, :])
                T.set_flag("v", "mte3", t % 2)
                T.wait_flag("v", "mte3", t % 2)
                T.copy(x[t % 2, :, :], C[(t * 40 + core) * 8, 0])
                T.set_flag("mte3", "mte2", t % 2)
            T.wait_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 1)
"""
AHEAD = """import tilelang.language as T

N = 8


@T.prim_func
def main(A: T.Tensor((512, 256), "float16"), C: T.Tensor((512, 256), "float16")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 8, 256), "float16")
        base = (cid * 2 + vid) * 64
        with T.Scope("V"):
            T.copy(A[base, 0], x[0, :, :])
            T.set_flag("mte2", "v", 0)
            for t in T.serial(N):
                if t + 1 < N:
                    if t >= 1:
                        T.wait_flag("mte3", "mte2", (t + 1) % 2)
                    T.copy(A[base + (t + 1) * 8, 0], x[(t + 1) % 2, :, :])
                    T.set_flag("mte2", "v", (t + 1) % 2)
                T.wait_flag("mte2", "v", t % 2)
                T.tile.exp(x[t % 2, :, :], x[t % 2, :, :])
                T.set_flag("v", "mte3", t % 2)
                T.wait_flag("v", "mte3", t % 2)
                T.copy(x[t % 2, :, :], C[base + t * 8, 0])
                T.set_flag("mte3", "mte2", t % 2)
            T.wait_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 1)
"""
FREE = 'T.set_flag("mte3", "mte2", t % 2)'
TAKE = 'T.wait_flag("mte3", "mte2", t % 2)'
FIRST = 'T.set_flag("mte3", "mte2", 0)\n'
LAST = 'T.wait_flag("mte3", "mte2", 1)\n'
CEIL, FLOOR = "T.ceildiv(M, 320)", "M // 320"
CREDITS = """import tilelang.language as T

M = T.symbolic("M")


@T.prim_func
def main(A: T.Tensor((M, 256), "float16"), C: T.Tensor((M, 256), "float16")):
    with T.Kernel(20, is_npu=True) as (cid, vid):
        x = T.alloc_ub((3, 8, 256), "float16")
        core = cid * 2 + vid
        with T.Scope("V"):
            n = M // 320
            for t in T.serial(n):
                if t >= 3:
                    T.wait_flag("mte3", "mte2", t % 3)
                T.copy(A[(t * 40 + core) * 8, 0], x[t % 3, :, :])
                T.set_flag("mte2", "v", t % 3)
                T.wait_flag("mte2", "v", t % 3)
                T.tile.exp(x[t % 3, :, :], x[t % 3, :, :])
                T.set_flag("v", "mte3", t % 3)
                T.wait_flag("v", "mte3", t % 3)
                T.copy(x[t % 3, :, :], C[(t * 40 + core) * 8, 0])
                if t + 3 < n:
                    T.set_flag("mte3", "mte2", t % 3)
"""


def over(text: str, turns: str) -> str:
    """With a loop of so many turns."""
    if turns == "8":
        text = text.replace('T.symbolic("M")', "2560")
    return text.replace("TURNS", turns)


def told(text: str) -> Diagnostic:
    """The only error."""
    found = analyse(PATH, text, "A3").diagnostics
    (one,) = [one for one in found if one.code in ("TL404", "TL406")]
    return one


def line_of(one: Diagnostic, text: str) -> str:
    return text.splitlines()[one.range.start.row - 1].strip()


def repaired(one: Diagnostic, text: str) -> str:
    return edited(PATH, text, one.fixes[0].edits)


@pytest.mark.parametrize("turns", [CEIL, FLOOR, "M // 64 // 5 + 1", "8"])
def test_a_ring_is_silent(turns: str) -> None:
    for text in (over(RING, turns), AHEAD):
        assert not [d for d in analyse(PATH, text, "A3").diagnostics if d.severity >= 3]


@pytest.mark.parametrize(
    ("old", "new", "line", "size"),
    [
        (FREE, "pass", TAKE, 960),
        (TAKE, "pass", FREE, 320),
        (FREE, f"{FREE}\n                {FREE}", FREE, 320),
        (TAKE, f"{TAKE}\n                {TAKE}", TAKE, 320),
        (FIRST, "pass\n", TAKE, 320),
        (LAST, "pass\n", FREE, 0),
        (LAST, LAST * 2, "", 0),
        (FREE, 'T.set_flag("mte3", "mte2", (t + 1) % 2)', "", 320),
        (TAKE, 'T.wait_flag("mte3", "mte2", (t + 1) % 2)', "", 320),
    ],
)
def test_a_fault_of_a_ring_over_a_size_is_told(old: str, new: str, line: str, size: int) -> None:
    assert RING.count(old) == 1
    wrong = RING.replace(old, new.replace("\n", "\n            ") if old is LAST else new)
    for turns in (FLOOR, CEIL):
        one = told(over(wrong, turns))
        assert one.severity >= 3
        assert not line or line_of(one, wrong) == line
        if turns == FLOOR:
            sizes = [note for note in one.notes if note.startswith("This happens with M = ")]
            assert sizes == ([f"This happens with M = {size}."] if size else [])


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (RING, FREE, "pass"),
        (RING, TAKE, "pass"),
        (RING, FREE, 'T.set_flag("mte3", "mte2", (t + 1) % 2)'),
        (RING, TAKE, 'T.wait_flag("mte3", "mte2", (t + 1) % 2)'),
        (RING, FIRST + 12 * " " + FIRST.replace("0", "1"), "pass\n"),
        (RING, LAST.replace("1", "0") + 12 * " " + LAST, "pass\n"),
        (AHEAD, 'T.set_flag("mte2", "v", (t + 1) % 2)', 'T.set_flag("mte2", "v", t % 2)'),
        (AHEAD, 'T.wait_flag("mte2", "v", t % 2)', 'T.wait_flag("mte2", "v", (t + 1) % 2)'),
        (AHEAD, 'T.set_flag("mte2", "v", 0)', 'T.set_flag("mte2", "v", 1)'),
    ],
)
def test_the_call_at_fault_is_shown_and_its_repair_mends_it(text: str, old: str, new: str) -> None:
    assert text.count(old) == 1
    for turns in (FLOOR, CEIL, "8"):
        wrong = over(text.replace(old, new), turns)
        one = told(wrong)
        if "flag" in new:
            assert line_of(one, wrong) == new
        again = analyse(PATH, repaired(one, wrong), "A3").diagnostics
        assert not [d.message for d in again if d.severity >= 3]


@pytest.mark.parametrize(
    "call",
    ['T.set_flag("mte2", "v", SLOT)', 'T.wait_flag("v", "mte3", SLOT)'],
)
def test_a_wrong_slot_that_some_sizes_forgive_is_a_warning(call: str) -> None:
    """With whole rounds of three every wait finds a set, of another slot."""
    right, wrong = call.replace("SLOT", "t % 3"), call.replace("SLOT", "(t + 1) % 3")
    text = CREDITS.replace(right, wrong)
    one = told(text)
    assert (line_of(one, text), one.severity) == (wrong, 2)
    assert any(note.startswith("This happens with M = ") for note in one.notes)
    again = analyse(PATH, repaired(one, text), "A3").diagnostics
    assert not [d.message for d in again if d.severity >= 2]
