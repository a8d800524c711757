"""A writer is as far ahead of its reader on the other core as the author's slots allow."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
from tests.passes.cores import disorder
from tests.passes.happens_before import races
from tests.passes.kernels import lowered, times
from tests.passes.test_cross_core import ALL, without

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.nodes import Kernel, TileOp, walk_stmts


def ring(
    slots: int,
    extent: Any,
    *,
    slot: Any = None,
    read: Any = None,
    branch: bool = False,
    outer: int = 0,
    texts: bool = False,
) -> Kernel:
    """A workspace with slots for (64, 64) tiles; `slot`, `read`: of an iteration, `texts`: each core
    has its own."""
    b = KernelBuilder()
    flags, w = b.tensor("F", (64,), "int32"), b.tensor("w1", (slots, 64, 64), "float16")
    vid = b.launch(4)[1]
    l1, p1 = (b.alloc(n, (64, 64), "float16", "L1") for n in ("l1", "p1"))
    l0 = b.alloc("l0", (64, 64), "float32", "L0C")
    ub = b.alloc("ub", (32, 64), "float16", "UB")
    slot = slot or (lambda t: binary("%", t, slots))
    read = read or slot

    def cube(t: Any) -> None:
        b.op("gemm_v0", l1, p1, l0, init=True)
        b.op("copy", l0, b.part(w, slot(t), (0, 64), (0, 64)))

    def vector(t: Any) -> None:
        b.op("copy", b.part(w, read(t), (times(vid, 32), 32), (0, 64)), ub)
        b.op("tile.exp", ub, ub)

    def loop(*work: Any) -> None:
        with b.loop("t", extent) as t:
            with b.when(compare(">", load(flags, t), 1)) if branch else nullcontext():
                for part in work:
                    part(t)

    def text() -> None:
        if texts:
            with b.scope("C"):
                loop(cube)
            with b.scope("V"):
                loop(vector)
        else:
            loop(cube, vector)

    if outer:
        with b.loop("g", outer):
            text()
    else:
        text()
    kernel, findings = lowered(b.build(**ALL))
    assert findings == [] and races(kernel) == []
    for seed in range(4):
        assert disorder(kernel, seed, most=16) == []
    return kernel


def ahead(kernel: Kernel) -> int:
    """How often the read is told before the first one."""
    ops = [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]
    first = [s for s in ops if s.op == "set_cross_flag" and s.reason.endswith("for the first time")]
    last = [s for s in ops if s.op == "wait_cross_flag" and s.reason.endswith("sets it")]
    assert len(first) == len(last)
    return len(first)


@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize(("slots", "extent", "most"), [(1, 7, 1), (2, 7, 2), (3, 16, 3), (2, 2, 0)])
def test_as_many_flags_are_sent_ahead_as_slots_turn(
    slots: int, extent: int, most: int, texts: bool
) -> None:
    kernel = ring(slots, extent, texts=texts)
    assert ahead(kernel) == most
    if most:
        assert disorder(without(kernel, 1), most=16) != []


@pytest.mark.parametrize(("extent", "most"), [(6, 0), (15, 0), (20, 8)])
def test_a_slot_for_each_iteration_needs_no_flag_back(extent: int, most: int) -> None:
    # But what the counter of the way forth does not hold must not be sent.
    assert ahead(ring(20, extent, slot=lambda t: t)) == most


def test_a_slot_that_is_read_again_later_is_free_later() -> None:
    before = lambda t: binary("%", binary("+", t, 2), 3)  # noqa: E731
    assert ahead(ring(3, 9, read=before)) == 2


def test_what_some_iterations_hand_over_may_meet_again_in_the_next_that_does() -> None:
    assert ahead(ring(2, 6, branch=True)) == 1
    assert ahead(ring(6, 6, branch=True, slot=lambda t: t)) == 0


def test_loops_in_loops_start_with_the_first_slot_again() -> None:
    assert ahead(ring(2, 5, outer=2)) == 1
