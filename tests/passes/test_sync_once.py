"""What inner loops hand from one iteration to the next is set once, before the loop around them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passes.kernels import lowered, times
from tests.passes.test_sync_in_turns import idle, synced

from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.nodes import CoreScope, For, Kernel, TileOp, walk_stmts
from tl_ascend.passes.summary import sync_counts
from tl_ascend.passes.sync_access import Overlaps
from tl_ascend.passes.sync_tree import build_tree, walk_nodes
from tl_ascend.passes.sync_walk import Walker

ROWS, COLUMNS = 6, 4


def rows(loops: int, work: int, between: int, shared: bool = False) -> Kernel:
    """Sums of each row, one after the other. `work`: calls behind a load before the sum; `between`:
    calls between two sums; `shared`: all sums load into one tile."""
    b = KernelBuilder()
    sources = [b.tensor(f"X{n}", (ROWS, COLUMNS * 64), "float32") for n in range(loops)]
    totals = b.tensor("Y", (ROWS, loops * 64), "float32")
    b.launch(1)
    x = [b.alloc(f"x{n}", (1, 64), "float32", "UB") for n in range(1 if shared else loops)]
    e = b.alloc("e", (1, 64), "float32", "UB")
    sums = [b.alloc(f"s{n}", (1, 64), "float32", "UB") for n in range(loops)]
    with b.loop("r", ROWS) as r:
        for total in sums:
            b.op("tile.fill", total, 0.0)
        for n, source in enumerate(sources):
            with b.loop(f"t{n}", COLUMNS) as t:
                add(b, b.part(source, r, (times(t, 64), 64)), x[n % len(x)], e, sums[n], work)
            for _ in range(between):
                b.op("tile.exp", sums[n], sums[n])
        for n, total in enumerate(sums):
            b.op("copy", total, b.part(totals, r, (n * 64, 64)))
    return synced(b)


def add(b: KernelBuilder, row: Any, x: Any, e: Any, total: Any, work: int) -> None:
    b.op("copy", row, x)
    for _ in range(work):
        b.op("tile.exp", e, x)
    b.op("tile.add", total, total, e if work else x)


def flags(kernel: Kernel) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The calls from V to MTE2 beside the loop over rows, and in it beside the inner loops."""
    body = next((s.body for s in kernel.body if isinstance(s, CoreScope)), kernel.body)
    (outer,) = (stmt for stmt in body if isinstance(stmt, For))
    found = []
    for block in (body, outer.body):
        calls = (stmt for stmt in block if isinstance(stmt, TileOp))
        found.append([(c.op, *c.args) for c in calls if c.args[:2] == ("V", "MTE2")])
    return found[0], found[1]


@pytest.mark.parametrize("between", [0, 3])
@pytest.mark.parametrize("work", [0, 1])
@pytest.mark.parametrize("loops", [1, 2])
def test_it_is_set_once_before_the_rows(loops: int, work: int, between: int) -> None:
    around, within = flags(rows(loops, work, between))
    assert [name for name, *_ in around] == ["set_flag"] * loops + ["wait_flag"] * loops
    assert within == []


@pytest.mark.parametrize("loops", [1, 2])
def test_the_first_load_of_a_row_does_not_wait_for_the_row_before(loops: int) -> None:
    """But each load for the sum with the one before it."""
    assert idle(rows(loops, 0, 0)) <= COLUMNS * ROWS * loops


@pytest.mark.parametrize("loops", [1, 2])
def test_one_barrier_for_all_that_rows_fill_is_before_their_loops(loops: int) -> None:
    found = rows(loops, 0, 0)
    inner = [s for s in walk_stmts(found.body) if isinstance(s, For)][1:]
    calls = (c for loop in inner for c in loop.body if isinstance(c, TileOp))
    assert not any(call.op == "pipe_barrier" for call in calls)
    assert sync_counts(found)["barrier_all"] == 0


def test_a_tile_that_two_loops_load_is_not_set_for_both() -> None:
    kernel = rows(2, 0, 0, shared=True)
    around, _ = flags(kernel)
    assert len(around) in (0, 2)


def test_a_walk_that_may_add_nothing_ends_at_the_first_thing_missing() -> None:
    b = KernelBuilder()
    source = b.tensor("X", (COLUMNS * 64,), "float32")
    b.launch(1)
    x = b.alloc("x", (64,), "float32", "UB")
    with b.loop("t", COLUMNS) as t:
        b.op("copy", b.part(source, times(t, 64)), x)
        b.op("tile.exp", x, x)
    kernel, _ = lowered(b.build(sync=False, planning=True))
    overlaps = Overlaps(kernel)
    tree, walker = build_tree(kernel.body, overlaps), Walker(overlaps)
    assert not walker.covers(tree)
    assert walker.count == 0 and not any(node.before for node in walk_nodes(tree))
    walker.cover(tree)
    assert walker.count > 0 and not walker.settled
    assert walker.covers(tree) and walker.settled
