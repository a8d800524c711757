"""Barriers of one pipe and of all: how many, and where."""

from __future__ import annotations

import pytest
from tests.passes.test_insert_sync import synced

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.fold import compare
from tl_ascend.ir.nodes import Kernel
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.summary import sync_counts


def test_what_lies_before_a_loop_is_ordered_before_it_once() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (64, 64), "float32")
    b.launch(1)
    scale, tile = (
        b.alloc("scale", (64,), "float32", "UB"),
        b.alloc("tile", (64, 64), "float32", "UB"),
    )
    b.op("tile.exp", scale, scale)
    b.op("copy", a, tile)
    with b.loop("i", 64) as i:
        row = b.part(tile, i, (0, 64))
        b.op("tile.mul", row, row, load(scale, i))
    lines = [line.strip() for line in kernel_text(synced(b.build(sync=True))).splitlines()]
    inside = lines[lines.index("for i in serial(0, 64):") + 1 :]
    assert not any(line.startswith(("set_flag", "wait_flag")) for line in inside)


def barriers(kernel: Kernel) -> int:
    return sync_counts(kernel)["pipe_barrier"]


@pytest.mark.parametrize("way", ["loop", "nested", "branches", "while"])
def test_one_barrier_does_where_the_next_comes_before_any_work(way: str) -> None:
    b = KernelBuilder()
    n = b.var("n", "shape", 0)
    a = b.tensor("A", (n, 64), "float32")
    b.launch(1)
    once, each = (b.alloc(name, (64,), "float32", "UB") for name in ("once", "each"))
    b.op("tile.fill", once, 1.0)
    b.op("tile.fill", each, 1.0)
    if way in ("loop", "nested"):
        with b.loop("i", 4) as i:
            b.op("copy", once, b.part(a, i, (0, 64)))
            if way == "loop":
                b.op("tile.add", each, each, once)
            else:
                with b.loop("j", 3):
                    b.op("tile.add", each, each, once)
    elif way == "while":
        with b.repeat(compare(">", load(a, 0, 0), 0)):
            b.op("tile.add", each, each, once)
    else:
        with b.when(compare(">", load(a, 0, 0), 0)):
            b.op("tile.add", each, each, once)
        with b.otherwise():
            b.op("tile.add", each, once, once)
    assert barriers(synced(b.build(sync=True))) == (2 if way == "branches" else 1)


@pytest.mark.parametrize("work", ["before", "behind"])
def test_a_barrier_before_a_loop_stays_where_it_is_needed(work: str) -> None:
    b = KernelBuilder()
    n = b.var("n", "shape", 0)
    a = b.tensor("A", (n, 64), "float32")
    b.launch(1)
    once, each, other = (b.alloc(name, (64,), "float32", "UB") for name in ("o", "e", "x"))
    b.op("tile.fill", once, 1.0)
    with b.loop("i", n) as i:
        if work == "before":
            b.op("tile.exp", other, once)
        b.op("copy", b.part(a, i, (0, 64)), each)
        b.op("tile.add", each, each, once)
    if work == "behind":
        b.op("tile.exp", other, once)
    assert barriers(synced(b.build(sync=True))) >= 1


def test_beside_a_full_barrier_stands_nothing_else() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (64,), "float32")
    b.launch(1)
    x, y = (b.alloc(n, (64,), "float32", "UB") for n in "xy")
    for event in range(8):
        b.op("set_flag", "mte2", "v", event)
    b.op("copy", a, x)
    b.op("tile.exp", y, y)
    b.op("tile.add", y, y, x)
    for event in range(8):
        b.op("wait_flag", "mte2", "v", event)
    kernel = synced(b.build(sync=True))
    assert sync_counts(kernel)["barrier_all"] == 1
    assert sync_counts(kernel)["pipe_barrier"] == 0


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("inner", [True, False])
@pytest.mark.parametrize("extent", [4, "n"])
def test_a_barrier_that_only_the_first_iteration_needs_stands_before_the_loop(
    extent: int | str, inner: bool, again: bool
) -> None:
    """`again`: each iteration needs it, for what the one before did."""
    b = KernelBuilder()
    count = b.var(extent, "shape", 0) if isinstance(extent, str) else extent
    b.launch(1)
    m, s, x = (b.alloc(name, (64,), "float32", "UB") for name in "msx")

    def work() -> None:
        b.op("tile.fill", m, 0.0)
        with b.loop("i", count):
            b.op("tile.exp", m, m)
            b.op("tile.abs", s, m)
            if not again:
                b.op("tile.ln", x, s)

    if inner:
        with b.loop("k", 3):
            work()
    else:
        work()
    text = kernel_text(synced(b.build(sync=True, planning=True)))
    before, behind = text.split("for i in")
    assert ("barrier" in before.rpartition("Fill")[2]) is not again
    assert (behind.index("Exp") < behind.index("barrier")) is not again
