"""Flags of branches: tiles that branches in turns choose, and what data decides."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passes.happens_before import races
from tests.passes.kernels import plus
from tests.passes.test_sync_in_turns import flags, idle, synced

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.summary import sync_counts


def branches(slots: int, ahead: int, order: str = "first", many: int = 24) -> KernelBuilder:
    """A stream whose slots are tiles of their own, chosen by branches. `order`: whether an iteration
    begins with the copy ("first") or with the work ("last"); "usual": the last iterations bring
    nothing."""
    b = KernelBuilder()
    rows = many + ahead
    a, c = (b.tensor(n, (rows, 64), "float32") for n in "AC")
    b.launch(1)
    x = [b.alloc(f"x{n}", (64,), "float32", "UB") for n in range(slots)]
    y = [b.alloc(f"y{n}", (64,), "float32", "UB") for n in range(slots)]
    for first in range(ahead):
        b.op("copy", b.part(a, first, (0, 64)), x[first])

    def bring(k: Any, turn: int) -> None:
        into = x[(turn + ahead) % slots]
        if order == "usual":
            with b.when(compare("<", k, many - ahead)):
                b.op("copy", b.part(a, plus(k, ahead), (0, 64)), into)
        else:
            b.op("copy", b.part(a, plus(k, ahead), (0, 64)), into)

    def turns(k: Any, turn: int) -> None:
        if order != "last":
            bring(k, turn)
        b.op("tile.exp", y[turn], x[turn])
        if order == "last":
            bring(k, turn)
        b.op("copy", y[turn], b.part(c, k, (0, 64)))

    def choose(k: Any, turn: int) -> None:
        if turn == slots - 1:
            turns(k, turn)
            return
        with b.when(compare("==", binary("%", k, slots), turn)):
            turns(k, turn)
        with b.otherwise():
            choose(k, turn + 1)

    with b.loop("k", many) as k:
        choose(k, 0)
    return b


@pytest.mark.parametrize("order", ["first", "last", "usual"])
@pytest.mark.parametrize(("slots", "ahead"), [(2, 1), (3, 1), (3, 2)])
def test_branches_in_turns_on_tiles_of_their_own_overlap(
    slots: int, ahead: int, order: str
) -> None:
    kernel = synced(branches(slots, ahead, order))
    assert idle(kernel) <= 4
    assert sync_counts(kernel)["barrier_all"] == sync_counts(kernel)["pipe_barrier"] == 0


@pytest.mark.parametrize("slots", [2, 3])
def test_so_do_branches_that_load_what_they_use(slots: int) -> None:
    kernel = synced(branches(slots, 0))
    assert idle(kernel) <= 4
    assert sync_counts(kernel)["barrier_all"] == sync_counts(kernel)["pipe_barrier"] == 0


def sharing(slots: int, kind: str, many: int = 24) -> KernelBuilder:
    """Branches in turns that load tiles of their own. `kind`: they work on these in place, or all add
    to one tile, whose order is that of the iterations."""
    b = KernelBuilder()
    a, c = (b.tensor(n, (many, 64), "float32") for n in "AC")
    b.launch(1)
    x = [b.alloc(f"x{n}", (64,), "float32", "UB") for n in range(slots)]
    total = b.alloc("total", (64,), "float32", "UB")

    def choose(k: Any, turn: int) -> None:
        with b.when(compare("==", binary("%", k, slots), turn)):
            b.op("copy", b.part(a, k, (0, 64)), x[turn])
            if kind == "in place":
                b.op("tile.exp", x[turn], x[turn])
                b.op("copy", x[turn], b.part(c, k, (0, 64)))
            else:
                b.op("tile.add", total, total, x[turn])
        if turn < slots - 1:
            with b.otherwise():
                choose(k, turn + 1)

    with b.loop("k", many) as k:
        choose(k, 0)
    return b


@pytest.mark.parametrize("kind", ["in place", "added"])
@pytest.mark.parametrize("slots", [2, 3, 4])
def test_flags_of_branches_in_turns_have_ids_of_their_own(slots: int, kind: str) -> None:
    kernel, steps = synced(sharing(slots, kind)), 3 if kind == "in place" else 2
    assert idle(kernel) <= steps + max(0, 24 * steps // slots - 24)
    assert sync_counts(kernel)["barrier_all"] == 0
    copied = {flag[3] for flag in flags(kernel) if flag[:3] == ("set_flag", "MTE2", "V")}
    assert copied == set(range(1, slots + 1))  # one for each; the copy itself uses 0


def guarded(leave: str = "", head: str = "for", nested: bool = False) -> KernelBuilder:
    """A loop that copies and works only where data says so, and works on something else besides."""
    b = KernelBuilder()
    a, limits = b.tensor("A", (24, 64), "float32"), b.tensor("L", (8,), "int32")
    b.launch(1)
    x, y, z = (b.alloc(n, (64,), "float32", "UB") for n in "xyz")
    say = compare(">", load(limits, 3), 1)

    def step(k: Any) -> None:
        b.op("copy", b.part(a, k, (0, 64)), x)
        if leave == "inside":
            with b.when(say):
                b.leave()
        b.op("tile.add", y, y, x)

    def body(k: Any) -> None:
        b.op("tile.exp", z, z)
        with b.when(say):
            if nested:
                with b.when(compare(">", load(limits, 4), 1)):
                    step(k)
            else:
                step(k)
        if leave == "behind":
            with b.when(say):
                b.leave()

    if head == "while":
        with b.repeat(compare("<", load(limits, 5), 3)):
            body(1)
    else:
        with b.loop("k", 24) as k:
            body(k)
    return b


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("head", ["for", "while"])
@pytest.mark.parametrize("leave", ["", "inside", "behind"])
def test_a_branch_hands_on_its_flags_to_the_next_time_that_it_is_taken(
    leave: str, head: str, nested: bool
) -> None:
    kernel = synced(guarded(leave, head, nested))
    assert [p for seed in range(3, 12) for p in races(kernel, seed)] == []
    lines = [line.strip().split(", eventId")[0] for line in kernel_text(kernel).splitlines()]
    wait, give = 'wait_flag("V", "MTE2"', 'set_flag("V", "MTE2"'
    assert lines.index(give) < next(n for n, line in enumerate(lines) if line.startswith(head))
    inside = lines.index(next(line for line in lines if line.startswith("copy_gm_to_ub")))
    assert lines[inside - 1] == wait and lines[inside - 2].startswith("if ")
    assert give in lines[inside:] and lines[-1] == wait
    assert sync_counts(kernel)["barrier_all"] == 0


def test_what_other_code_of_the_loop_uses_is_waited_for_where_it_is_used() -> None:
    b = KernelBuilder()
    a, limits = b.tensor("A", (24, 64), "float32"), b.tensor("L", (8,), "int32")
    b.launch(1)
    x, y = (b.alloc(n, (64,), "float32", "UB") for n in "xy")
    with b.loop("k", 24) as k:
        with b.when(compare(">", load(limits, 3), 1)):
            b.op("copy", b.part(a, k, (0, 64)), x)
            b.op("tile.exp", y, x)
        b.op("tile.add", y, y, x)
    kernel = synced(b)
    assert [p for seed in range(3, 12) for p in races(kernel, seed)] == []


def uncertain(slots: int, kind: str, many: int = 24) -> KernelBuilder:
    """A stream whose tiles are used, or loaded, only where data says so. `kind`: what the branch has:
    the use, the use or another one, one in a branch in it, a use now and then (`seldom`), the load, or
    both."""
    b = KernelBuilder()
    a, limits = b.tensor("A", (many, 64), "float32"), b.tensor("L", (8,), "int32")
    b.launch(1)
    x = b.alloc("x", (slots, 64), "float32", "UB")
    total = b.alloc("total", (64,), "float32", "UB")

    def say(at: int) -> Any:
        return compare(">", load(limits, at), 1)

    with b.loop("k", many) as k:
        tile = b.part(x, binary("%", k, slots), (0, 64))
        if kind == "both":
            with b.when(say(3)):
                b.op("copy", b.part(a, k, (0, 64)), tile)
                b.op("tile.add", total, total, tile)
            return b
        if kind == "load":
            with b.when(say(3)):
                b.op("copy", b.part(a, k, (0, 64)), tile)
            b.op("tile.add", total, total, tile)
            return b
        b.op("copy", b.part(a, k, (0, 64)), tile)
        with b.when(compare("==", binary("%", k, 5), 0) if kind == "seldom" else say(3)):
            if kind == "nested":
                with b.when(say(4)):
                    b.op("tile.add", total, total, tile)
            else:
                b.op("tile.add", total, total, tile)
        if kind == "either":
            with b.otherwise():
                with b.when(say(4)):
                    b.op("tile.sub", total, total, tile)
    return b


@pytest.mark.parametrize("slots", [1, 2, 3])
@pytest.mark.parametrize("kind", ["use", "either", "nested", "seldom", "load", "both"])
def test_what_a_branch_may_need_is_handed_back_on_every_way(kind: str, slots: int) -> None:
    kernel = synced(uncertain(slots, kind))
    assert [p for seed in range(3, 12) for p in races(kernel, seed)] == []
    lines = [line.strip().split(", eventId")[0] for line in kernel_text(kernel).splitlines()]
    start = next(n for n, line in enumerate(lines) if line.startswith("for "))
    lines, body = lines[:start], lines[start:]
    # Each iteration gives its tile back; of several each is free before the loop.
    before = 0 if slots == 1 and kind not in ("load", "both") else slots
    assert lines.count('set_flag("V", "MTE2"') == before
    assert body.count('wait_flag("V", "MTE2"') == 1 + before
    assert body.count('set_flag("V", "MTE2"') == body.count('set_flag("MTE2", "V"') == 1
    assert sync_counts(kernel)["barrier_all"] == 0
    assert idle(kernel) <= (24 if slots == 1 else 4)
