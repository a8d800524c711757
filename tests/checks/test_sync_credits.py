"""One core runs ahead of the other by flags that are set before the loop, one by one or in a loop of
their own: how many they are counts."""

from __future__ import annotations

import pytest
from tests.harness.compare import analyse

from tl_ascend.diagnostics.catalogue import Severity

PATH = "/case/kernel.py"
KERNEL = """import tilelang.language as T


@T.prim_func
def main(
    A: T.Tensor((256, 64), "float16"),
    B: T.Tensor((64, {turns} * 64), "float16"),
    W: T.Tensor((4, {slots}, 64, 64), "float32"),
    C: T.Tensor((256, {turns} * 64), "float32"),
):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        u = T.alloc_ub((32, 64), "float32")
        with T.Scope("C"):
            T.copy(A[cid * 64, 0], a)
            for j in T.serial({turns}):
                T.copy(B[0, j * 64], b)
                T.barrier_all()
                T.gemm_v0(a, b, c, init=True)
                T.barrier_all()
                T.wait_cross_flag(1)
                T.copy(c, W[cid, j % {slots}, 0, 0])
                T.barrier_all()
                T.set_cross_flag("FIX", 0)
            for _ in T.serial({credits}):
                T.wait_cross_flag(1)
        with T.Scope("V"):
{given}
            for j in T.serial({turns}):
                T.wait_cross_flag(0)
                T.copy(W[cid, j % {slots}, vid * 32, 0], u)
                T.set_cross_flag("MTE2", 1)
                T.barrier_all()
                T.tile.exp(u, u)
                T.barrier_all()
                T.copy(u, C[cid * 64 + vid * 32, j * 64])
                T.barrier_all()
"""
PRODUCED = "                T.copy(c, W[cid, j % {slots}, 0, 0])\n"
TAKEN = "                T.wait_cross_flag(1)\n"
READ = "                T.copy(W[cid, j % {slots}, vid * 32, 0], u)\n"
RETURNED = '                T.set_cross_flag("MTE2", 1)\n'
CHANGES = {
    "late": (TAKEN + PRODUCED, PRODUCED + TAKEN),
    "early": (READ + RETURNED, RETURNED + READ),
    "slot": (PRODUCED, PRODUCED.replace("j %", "(j + 1) %")),
}


def codes(text: str, slots: int, turns: int, credits: int, loop: bool) -> list[str]:
    one = 'T.set_cross_flag("MTE2", 1)\n'
    looped = f"            for _ in T.serial({credits}):\n                {one}"
    given = looped if loop else f"            {one}" * credits
    written = text.format(slots=slots, turns=turns, credits=credits, given=given)
    found = analyse(PATH, written, "A3").diagnostics
    return [d.code for d in found if d.severity >= Severity.WARNING]


@pytest.mark.parametrize("loop", [True, False], ids=["in a loop", "one by one"])
@pytest.mark.parametrize("slots", [1, 2, 3, 4, 9, 12])
def test_a_core_runs_ahead_by_as_many_slots_as_there_are(slots: int, loop: bool) -> None:
    assert codes(KERNEL, slots, 32, slots, loop) == []


@pytest.mark.parametrize("loop", [True, False], ids=["in a loop", "one by one"])
@pytest.mark.parametrize("turns", [8, 64])
@pytest.mark.parametrize("slots", [1, 2, 3, 5])
def test_one_flag_more_than_slots_is_a_race(slots: int, turns: int, loop: bool) -> None:
    assert codes(KERNEL, slots, turns, slots + 1, loop) == ["TL407"]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("turns", [8, 64])
@pytest.mark.parametrize("slots", [2, 3, 4, 6])
def test_a_wrong_place_is_a_race(change: tuple[str, str], slots: int, turns: int) -> None:
    assert KERNEL.count(change[0]) == 1
    assert codes(KERNEL.replace(*change), slots, turns, slots, loop=True) == ["TL407"]


@pytest.mark.parametrize("slots", [9, 12])
def test_many_slots_are_all_gone_through(slots: int) -> None:
    assert codes(KERNEL, slots, 40, slots + 1, loop=True) == ["TL407"]
    assert codes(KERNEL.replace(*CHANGES["late"]), slots, 40, slots, loop=True) == ["TL407"]
