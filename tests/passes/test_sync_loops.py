"""What loops hand on from one iteration to the next, and what is ordered before and behind them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passes.kernels import lowered, plus, times
from tests.passes.test_insert_sync import synced

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.fold import compare
from tl_ascend.ir.hazards import hazards, numbered
from tl_ascend.ir.nodes import Kernel, TileOp, walk_stmts
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.summary import sync_counts


def stream(**options: Any) -> KernelBuilder:
    """A loop whose copy overwrites what the vector unit read in the iteration before."""
    b = KernelBuilder()
    a = b.tensor("A", (8, 64), "float32")
    b.launch(1)
    x, y, z = (b.alloc(n, (64,), "float32", "UB") for n in "xyz")
    with b.loop("i", options.get("extent", 8)) as i:
        b.op("copy", b.part(a, i, (0, 64)), x)
        b.op("tile.exp", y, x)
        b.op("tile.abs", z, y)
        if options.get("leave"):
            with b.when(compare(">", load(y, 0), 0)):
                b.leave()
    return b


def outline(kernel: Kernel) -> list[str]:
    """Calls and loops in order; of flags the pipes too."""
    lines = [line.strip() for line in kernel_text(kernel).splitlines()]
    kept = [line for line in lines if "(" in line and not line.startswith(("alloc", "kernel"))]
    return [
        line.split(", eventId")[0].replace('"', "") if "_flag" in line else line.split("(")[0]
        for line in kept
    ]


def test_what_an_iteration_owes_the_next_is_set_behind_its_last_use() -> None:
    assert outline(synced(stream().build(sync=True))) == [
        "set_flag(V, MTE2",
        "for i in serial",
        "wait_flag(V, MTE2",
        "copy_gm_to_ub",
        "set_flag(MTE2, V",
        "wait_flag(MTE2, V",
        "pipe_barrier",
        "Exp",
        "set_flag(V, MTE2",
        "pipe_barrier",
        "Abs",
        "wait_flag(V, MTE2",
    ]


def test_the_ends_of_such_a_flag_say_what_they_are() -> None:
    kernel = synced(stream().build(sync=True))
    back = [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp) and s.args[0] == "V"]
    reasons = [s.reason.split(":")[0] for s in back if s.op.endswith("_flag")]
    own = "MTE2 writes x, read by V"
    assert reasons == ["for the first iteration", own, own, "behind the last iteration"]


@pytest.mark.parametrize("extent", [1, 2])
def test_a_loop_that_does_not_repeat_owes_nothing(extent: int) -> None:
    names = outline(synced(stream(extent=extent).build(sync=True)))
    assert ("set_flag(V, MTE2" in names) is (extent > 1)


def test_with_a_way_out_a_flag_is_handed_on_too() -> None:
    names = outline(synced(stream(leave=True).build(sync=True)))
    head = next(n for n, name in enumerate(names) if name.startswith("for"))
    assert "set_flag(V, MTE2" in names[:head] and "wait_flag(V, MTE2" in names[-2:]


def test_a_flag_that_is_set_before_a_loop_still_holds_behind_it() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (8, 64), "float32")
    b.launch(1)
    x, y = (b.alloc(n, (64,), "float32", "UB") for n in "xy")
    b.op("copy", b.part(a, 0, (0, 64)), x)
    with b.loop("i", 8):
        b.op("tile.exp", y, y)
    b.op("tile.abs", x, x)
    names = outline(synced(b.build(sync=True)))
    assert names[1] == "set_flag(MTE2, V" and names.count("set_flag(MTE2, V") == 1


def test_the_scalar_unit_needs_no_answer_to_its_wait() -> None:
    b = KernelBuilder()
    b.launch(1)
    x, y = (b.alloc(n, (64,), "float32", "UB") for n in "xy")
    with b.loop("i", 8) as i:
        b.op("tile.exp", x, y)
        b.op("tile.mul", y, y, load(x, i))
    counts = sync_counts(synced(b.build(sync=True)))
    assert counts["barrier_all"] == 0


def test_a_flag_that_may_be_set_again_too_early_is_answered() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (64, 64), "float32")
    b.launch(1)
    x, y = b.alloc("x", (64, 64), "float32", "UB"), b.alloc("y", (64,), "float32", "UB")
    with b.loop("i", 64) as i:  # each iteration has a row of its own: nothing leads back
        b.op("copy", b.part(a, i, (0, 64)), b.part(x, i, (0, 64)))
        b.op("tile.exp", y, b.part(x, i, (0, 64)))
    kernel = synced(b.build(sync=True))
    assert "set_flag(V, MTE2" in outline(kernel)
    assert sync_counts(kernel)["barrier_all"] == 0


def normalise(inner: str) -> Kernel:
    """Load a tile, halve it as its own elements say, store it, and the next."""
    b = KernelBuilder()
    a = b.tensor("A", (32, 64), "float32")
    b.launch(1)
    kind = "float32" if inner == "while" else "int32"
    x, count = b.alloc("x", (8, 64), "float32", "UB"), b.alloc("c", (8, 64), kind, "UB")
    told = x if inner == "while" else count
    with b.loop("i", 4) as i:
        b.op("copy", b.part(a, (times(i, 8), 8), (0, 64)), x)
        with b.when(compare(">", load(told, 0, 2), 3)):
            b.leave()
        many = load(told, 0, 0)
        repeated = b.repeat(compare(">", many, 1)) if inner == "while" else b.loop("j", many)
        with repeated:
            b.op("tile.mul", told, told, load(told, 0, 0))
        b.op("copy", x, b.part(a, (times(i, 8), 8), (0, 64)))
    return b.build(sync=True)


@pytest.mark.parametrize("inner", ["while", "for"])
def test_what_a_loop_tests_is_ordered_with_its_body_inside_of_it(inner: str) -> None:
    kernel = synced(normalise(inner))
    counts = sync_counts(kernel)
    assert counts["barrier_all"] == 0
    assert max(counts["set_flag"], counts["wait_flag"]) < 12
    lines = [line.strip() for line in kernel_text(kernel).splitlines()]
    head = next(n for n, line in enumerate(lines) if line.startswith((f"{inner} x", f"{inner} j")))
    assert lines[head + 1].startswith('set_flag("S", "V"')


def test_what_is_ordered_before_a_condition_is_tested_again_is_found() -> None:
    b = KernelBuilder()
    b.launch(1)
    x = b.alloc("x", (8, 64), "float32", "UB")
    with b.repeat(compare(">", load(x, 0, 0), 1)):
        b.op("tile.mul", x, x, 0.5)
    kernel = synced(b.build(sync=True))
    statements = numbered(kernel)
    waits = {
        statements[number].args[1]: {(hazard.kind, hazard.carried) for hazard in found}
        for number, found in hazards(kernel).items()
        if isinstance(statements[number], TileOp) and statements[number].op == "wait_flag"
    }
    assert waits == {"V": {("WAR", False)}, "S": {("RAW", True)}}


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("where", ["behind", "nested"])
def test_rows_that_a_loop_never_touched_need_no_order_behind_it(where: str, apart: bool) -> None:
    b = KernelBuilder()
    c = b.tensor("C", (32, 64), "float32")
    b.launch(1)
    x, rows = b.alloc("x", (64,), "float32", "UB"), b.alloc("rows", (16, 64), "float32", "UB")
    b.op("tile.fill", x, 0.0)

    def work() -> None:
        with b.loop("i", 5) as i:
            b.op("copy", x, b.part(c, plus(i, 8), (0, 64)))
            b.op("tile.exp", b.part(rows, i, (0, 64)), x)
        b.op("copy", x, b.part(c, 13 if apart else 12, (0, 64)))
        b.op("tile.abs", b.part(rows, 5 if apart else 4, (0, 64)), x)

    if where == "nested":
        with b.loop("k", 1):
            work()
    else:
        work()
    kernel = synced(b.build(sync=True, planning=True))
    # One between what fills x and what reads it.
    assert sync_counts(kernel)["pipe_barrier"] == (1 if apart else 3)


def test_what_older_calls_order_in_later_iterations_is_not_told_of_a_call() -> None:
    b = KernelBuilder()
    b.launch(1)
    m, s, x = (b.alloc(name, (64,), "float32", "UB") for name in "msx")
    b.op("tile.fill", m, 0.0)
    with b.loop("i", 4):
        b.op("pipe_barrier", "V")
        b.op("tile.exp", m, m)
        b.op("pipe_barrier", "V")
        b.op("tile.abs", s, m)
        b.op("pipe_barrier", "V")
        b.op("tile.ln", x, s)
    kernel, _ = lowered(b.build())
    every = numbered(kernel)
    barriers = [n for n, s in enumerate(every) if isinstance(s, TileOp) and s.op == "pipe_barrier"]
    first, *_ = (hazards(kernel)[number] for number in barriers)
    assert first and not any(pair.carried for pair in first)


def test_what_only_late_iterations_do_is_told_of_a_call_behind_the_loop() -> None:
    b = KernelBuilder()
    c = b.tensor("C", (32, 64), "float32")
    b.launch(1)
    x = b.alloc("x", (64,), "float32", "UB")
    b.op("tile.fill", x, 0.0)
    with b.loop("i", 9) as i:
        b.op("copy", x, b.part(c, i, (0, 64)))
    b.op("copy", x, b.part(c, 8, (0, 64)))
    kernel = synced(b.build(sync=True, planning=True))
    every = numbered(kernel)
    (barrier,) = (n for n, s in enumerate(every) if getattr(s, "op", "") == "pipe_barrier")
    (pair,) = hazards(kernel)[barrier]
    assert pair.kind == "WAW" and pair.first.name == "C" and not pair.carried
