"""Slots that inner loops use in turns: what outer loops hand on from one iteration to the next."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
from tests.passes.kernels import plus, times
from tests.passes.test_sync_in_turns import Timeline, synced

from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.expr import free_vars
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.nodes import CoreScope, For, Kernel, TileOp, walk_stmts
from tl_ascend.passes.summary import sync_counts

ROWS = 6


def lost(kernel: Kernel, columns: int) -> int:
    """How much longer all takes than the work of the busiest pipe, where rows have so many columns."""
    line = Timeline(kernel)
    assert kernel.launch is not None
    line.values.update({kernel.launch.block: 0, kernel.launch.subblock: 0})
    shapes = (dim for tensor in kernel.tensors for dim in tensor.shape)
    line.values.update({var: columns for dim in shapes for var in free_vars(dim)})
    scopes = [s.body for s in kernel.body if isinstance(s, CoreScope)] or [kernel.body]
    line.block(scopes[0])
    assert line.problems == []
    return max(line.ends.values()) - max(line.busy.values())


def kernel(columns: int | None) -> tuple[KernelBuilder, Any, Any, Any]:
    """`columns`: None where their number is not known."""
    b = KernelBuilder()
    many = b.var("N", "shape", 1) if columns is None else columns
    a, c = (b.tensor(n, (ROWS, times(many, 64)), "float32") for n in "AC")
    b.launch(1)
    return b, a, c, many


def part(b: KernelBuilder, tensor: Any, row: Any, column: Any) -> Any:
    return b.part(tensor, row, (times(column, 64), 64))


def turn(b: KernelBuilder, tile: Any, count: Any) -> Any:
    return b.part(tile, binary("%", count, tile.shape[0]), (0, 64))


def rows(columns: int | None, slots: int, running: bool = False) -> Kernel:
    """`running`: slots are counted on through all rows."""
    b, a, c, many = kernel(columns)
    x = b.alloc("x", (slots, 64), "float32", "UB")
    with b.loop("i", ROWS) as i, b.loop("k", many) as k:
        now = turn(b, x, plus(times(i, many), k) if running else k)
        b.op("copy", part(b, a, i, k), now)
        b.op("tile.exp", now, now)
        b.op("copy", now, part(b, c, i, k))
    return synced(b)


@pytest.mark.parametrize("slots", [2, 3, 4])
def test_rows_of_an_unknown_length_lose_no_more_than_others(slots: int) -> None:
    found = rows(None, slots)
    assert sync_counts(found)["barrier_all"] == 0
    for columns in (1, 2, 5, 8, 12):
        assert lost(found, columns) <= lost(rows(columns, slots), columns)


@pytest.mark.parametrize("columns", [None, 4, 5, 12])
def test_a_ring_that_two_loops_use_overlaps_in_both(columns: int | None) -> None:
    b, a, c, many = kernel(columns)
    x, y = (b.alloc(n, (3, 64), "float32", "UB") for n in "xy")
    with b.loop("i", ROWS) as i:
        with b.loop("k", many) as k:
            b.op("copy", part(b, a, i, k), turn(b, x, k))
            b.op("tile.exp", turn(b, y, k), turn(b, x, k))
        with b.loop("l", many) as k:
            b.op("copy", part(b, a, i, k), turn(b, x, k))
            b.op("tile.exp", turn(b, x, k), turn(b, x, k))
            b.op("copy", turn(b, x, k), part(b, c, i, k))
    found = synced(b)
    assert sync_counts(found)["barrier_all"] == 0
    assert lost(found, columns or 12) <= ROWS * 5  # between the loops, not in them


@pytest.mark.parametrize("slots", [2, 3, 4])
@pytest.mark.parametrize("more", [0, 1])
def test_rows_of_as_many_columns_as_slots_hand_them_on(slots: int, more: int) -> None:
    """Flags are set before the first row, not before each."""
    found = rows(slots, slots + more)
    assert not any(isinstance(stmt, TileOp) for stmt in loop_of(found).body)
    assert lost(found, slots) <= (ROWS * slots // 2 + 1 if slots == 2 else 2)


@pytest.mark.parametrize("places", [2, 3, 4])
def test_few_places_of_their_own_need_no_barrier_each(places: int) -> None:
    b, a, c, many = kernel(1)
    x = b.alloc("x", (places, 64), "float32", "UB")
    with b.loop("i", ROWS) as i:
        with b.loop("k", places) as k:
            b.op("tile.fill", b.part(x, k, (0, 64)), 0.0)
        b.op("tile.exp", x, x)
        b.op("copy", part(b, a, i, 0), b.part(x, 0, (0, 64)))
    found = synced(b)
    (inner,) = (stmt for stmt in loop_of(found).body if isinstance(stmt, For))
    assert len(inner.body) == 1


def loop_of(found: Kernel) -> For:
    return next(stmt for stmt in walk_stmts(found.body) if isinstance(stmt, For))


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("slots", [2, 3, 4])
def test_slots_that_are_counted_on_through_all_rows_overlap(columns: int, slots: int) -> None:
    found = rows(columns, slots, running=True)
    assert sync_counts(found)["barrier_all"] == 0
    # Three pipes one after the other have two slots at most two thirds of the time.
    assert lost(found, columns) <= (ROWS * columns // 2 + 1 if slots == 2 else 2)


@pytest.mark.parametrize("slots", [2, 3, 4])
def test_so_do_they_where_nobody_knows_how_long_rows_are(slots: int) -> None:
    found = rows(None, slots, running=True)
    counts = sync_counts(found)
    assert counts["barrier_all"] == 0 and counts == sync_counts(rows(5, slots, running=True))
    for columns in (1, 2, 3, 4, 5, 8):
        assert lost(found, columns) <= (ROWS * columns // 2 + 1 if slots == 2 else 2)


@pytest.mark.parametrize("columns", [None, 3, 4, 5])
@pytest.mark.parametrize("usual", ["<", "!="])
def test_a_prefetch_of_the_next_column_runs_beside_the_work(
    columns: int | None, usual: str
) -> None:
    b, a, c, many = kernel(columns)
    x, y = (b.alloc(n, (2, 64), "float32", "UB") for n in "xy")
    with b.loop("i", ROWS) as i:
        b.op("copy", part(b, a, i, 0), b.part(x, 0, (0, 64)))
        with b.loop("k", many) as k:
            with b.when(compare(usual, plus(k, 1), many)):
                b.op("copy", part(b, a, i, plus(k, 1)), turn(b, x, plus(k, 1)))
            b.op("tile.exp", turn(b, y, k), turn(b, x, k))
            b.op("copy", turn(b, y, k), part(b, c, i, k))
    found = synced(b)
    assert sync_counts(found)["barrier_all"] == 0
    assert lost(found, columns or 12) <= ROWS + 1  # at the ends of rows


def by_rows(columns: int | None, *steps: str) -> Kernel:
    """Rows of a block are loaded, worked on and stored one by one; each has a place of its own."""
    b, a, c, many = kernel(columns)
    x, y = (b.alloc(n, (ROWS, 64), "float32", "UB") for n in "xy")
    one = b.alloc("one", (1, 64), "float32", "UB")
    with b.loop("k", many) as k, b.loop("i", ROWS) as i:
        now, then = (b.part(tile, i, (0, 64)) for tile in (x, y))
        if "load" in steps:
            b.op("copy", part(b, a, i, k), now)
        if "work" in steps:
            b.op("tile.exp", then, now)
        if "other work" in steps:
            b.op("copy", part(b, a, i, k), one)
            b.op("tile.exp", then, one)
        if "store" in steps:
            b.op("copy", then if "work" in steps else now, part(b, c, i, k))
    return synced(b)


@pytest.mark.parametrize("columns", [None, 1, 8])
@pytest.mark.parametrize(
    "steps", [("load", "work"), ("load", "store"), ("load", "work", "store")], ids="-".join
)
def test_rows_that_have_places_of_their_own_overlap(
    columns: int | None, steps: tuple[str, ...]
) -> None:
    """What they find done before their loop they wait for once, not row by row."""
    assert lost(by_rows(columns, *steps), columns or 8) <= (columns or 8) * len(steps)


def test_one_barrier_for_all_rows_where_nobody_reads_what_they_overwrite() -> None:
    found = sync_counts(by_rows(8, "load", "other work"))
    assert found["pipe_barrier"] == 1


@pytest.mark.parametrize("branch", [False, True])
def test_what_an_iteration_waits_for_orders_what_was_before_its_loop(branch: bool) -> None:
    b = KernelBuilder()
    a, w, c = (b.tensor(n, (ROWS, 16, 16), "float16") for n in ("A", "W", "C"))
    b.launch(1)
    x, y = (b.alloc(n, (16, 16), "float16", "L1") for n in ("x", "y"))
    z = b.alloc("z", (16, 16), "float32", "L0C")
    b.op("copy", b.part(w, 0, (0, 16), (0, 16)), y)
    with b.loop("i", ROWS) as i:
        with b.when(compare(">", i, 2)) if branch else nullcontext():
            b.op("copy", b.part(a, i, (0, 16), (0, 16)), x)
            b.op("gemm_v0", x, y, z, init=True)
            b.op("copy", z, b.part(c, i, (0, 16), (0, 16)))
    fast = synced(b)
    calls = [s for s in walk_stmts(fast.body) if isinstance(s, TileOp) and s.op == "set_flag"]
    assert len([s for s in calls if s.args[:2] == ("MTE2", "MTE1")]) == 1
