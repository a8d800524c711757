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
