"""Loops of which some iterations are left out show what the whole ones show."""

from __future__ import annotations

import pytest
from tests.harness.compare import analyse

RING = """import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64, 256), "float32"), Y: T.Tensor((64, 256), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((SLOTS, 256), "float32")
        with T.Scope("V"):
            for s in range(SLOTS):
                T.set_flag("mte3", "mte2", s)
            for i in T.serial(TURNS):
                s = i % SLOTS
                if s != LATE:
                    T.wait_flag("mte3", "mte2", s)
                T.copy(X[i, 0], x[s, :])
                if s == LATE:
                    T.wait_flag("mte3", "mte2", s)
                T.set_flag("mte2", "mte3", s)
                T.wait_flag("mte2", "mte3", s)
                T.copy(x[s, :], Y[i, 0])
                T.set_flag("mte3", "mte2", s)
            for s in range(SLOTS):
                T.wait_flag("mte3", "mte2", s)
"""


def told(text: str, **numbers: object) -> list[str | None]:
    """The codes of what is said of a text in which names stand for numbers."""
    for name, number in numbers.items():
        text = text.replace(name, str(number))
    return [one.code for one in analyse("/case/kernel.py", text, "A3").diagnostics]


@pytest.mark.parametrize("turns", [*range(1, 13), 16, 17, 22, 47, 60])
@pytest.mark.parametrize(("slots", "late"), [(2, 1), (3, 0), (3, 2), (4, 3)])
def test_each_slot_is_seen_twice(turns: int, slots: int, late: int) -> None:
    wanted = ["TL406"] if turns > slots + late else []
    assert told(RING, TURNS=turns, SLOTS=slots, LATE=late) == wanted


HANDED = """import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((512, 256), "float32"), Y: T.Tensor((512, 256), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((SLOTS, 256), "float32")
        s = T.alloc_var("int32", init=0)
        n = T.alloc_var("int32", init=0)
        with T.Scope("V"):
            for k in range(SLOTS):
                T.set_flag("mte3", "mte2", k)
            for i in T.serial(TURNS):
                EARLY
                T.copy(X[n, 0], x[s, :])
                LATE
                T.set_flag("mte2", "mte3", ID)
                T.wait_flag("mte2", "mte3", ID)
                T.copy(x[s, :], Y[n, 0])
                T.set_flag("mte3", "mte2", ID)
                n = n + 1
                NEXT
            DRAIN
"""
DRAIN = """for k in range(SLOTS):
                T.wait_flag("mte3", "mte2", (s + k) % SLOTS)"""
WAIT = 'T.wait_flag("mte3", "mte2", ID)'
NEXT = {
    "1 - s": (2, "s = 1 - s"),
    "s + 1": (3, "s = (s + 1) % 3"),
    "reset": (3, "s = T.if_then_else(s == 2, 0, s + 1)"),
    "branch": (
        4,
        "if s == 3:\n                    s = 0\n                else:\n                    s = s + 1",
    ),
}


@pytest.mark.parametrize("turns", [3, 9, 22])
@pytest.mark.parametrize("step", NEXT)
@pytest.mark.parametrize("number", ["s", "i % SLOTS"])
def test_a_slot_may_be_handed_on(turns: int, step: str, number: str) -> None:
    slots, following = NEXT[step]
    numbers = {"NEXT": following, "ID": number, "DRAIN": DRAIN, "SLOTS": slots, "TURNS": turns}
    assert told(HANDED, EARLY=WAIT, LATE="pass", **numbers) == []
    wanted = ["TL406"] if turns > slots else []
    assert told(HANDED, EARLY="pass", LATE=WAIT, **numbers) == wanted


@pytest.mark.parametrize("turns", [2, 9, 39])
@pytest.mark.parametrize(("count", "wanted"), [("TURNS", []), ("TURNS + 1", ["TL404"])])
def test_what_counts_iterations_is_as_if_all_had_been_run(
    turns: int, count: str, wanted: list[str]
) -> None:
    drain = f'if n == {count}:\n                T.wait_flag("mte3", "mte2", 0)'
    numbers = {"NEXT": "pass", "DRAIN": drain, "ID": 0, "SLOTS": 1, "TURNS": turns}
    assert told(HANDED, EARLY=WAIT, LATE="pass", **numbers) == wanted
