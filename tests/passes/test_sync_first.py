"""The flags that the first iterations of a loop wait for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.passes.kernels import plus, times
from tests.passes.test_sync_in_turns import Timeline, stream, synced

from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import CoreScope, For, Kernel, TileOp, walk_stmts


def before_the_loop(kernel: Kernel) -> list[str]:
    """The calls before the last loop: names, and of flags their ids."""
    body = next((s.body for s in kernel.body if isinstance(s, CoreScope)), kernel.body)
    found: list[str] = []
    for stmt in body[: max(at for at, s in enumerate(body) if isinstance(s, For))]:
        if isinstance(stmt, TileOp):
            found.append(f"set {stmt.args[2]}" if stmt.op == "set_flag" else stmt.op)
    return found


@pytest.mark.parametrize("ahead", [2, 3])
def test_each_is_set_behind_what_its_own_iteration_needs(ahead: int) -> None:
    calls = before_the_loop(synced(stream("modulo", ahead + 1, ahead)))
    loads = [at for at, name in enumerate(calls) if name.startswith("copy")]
    assert len(loads) == ahead
    assert [calls[at + 1].startswith("set") for at in loads] == [True] * ahead


def two_loads(order: Sequence[str], **options: Any) -> Kernel:
    """`x` comes two iterations ahead, `s` one; `order` is that of their loads before the loop."""
    b, many = KernelBuilder(), 12
    a, t, c = (b.tensor(n, (many + 2, 64), "float32") for n in "ATC")
    b.launch(1)
    x, y = (b.alloc(n, (3, 64), "float32", "UB") for n in "xy")
    s = b.alloc("s", (2, 64), "float32", "UB")
    for load in order:
        at = int(load[1])
        tile, tensor = (x, a) if load[0] == "x" else (s, t)
        b.op("copy", b.part(tensor, at, (0, 64)), b.part(tile, at, (0, 64)))
    with b.loop("k", many) as k:
        into = binary("%", plus(k, 2), 3)
        b.op("copy", b.part(a, plus(k, 2), (0, 64)), b.part(x, into, (0, 64)))
        into = binary("%", plus(k, 1), 2)
        b.op("copy", b.part(t, plus(k, 1), (0, 64)), b.part(s, into, (0, 64)))
        slots = [b.part(tile, binary("%", k, n), (0, 64)) for tile, n in ((x, 3), (y, 3), (s, 2))]
        b.op("tile.exp", slots[1], slots[2])
        b.op("tile.add", slots[1], slots[1], slots[0])
        b.op("copy", slots[1], b.part(c, k, (0, 64)))
    return synced(b, **options)


@pytest.mark.parametrize("order", [("x0", "x1", "s0"), ("s0", "x0", "x1"), ("x1", "s0", "x0")])
def test_what_an_iteration_needs_in_any_order_is_waited_for(order: Sequence[str]) -> None:
    line = Timeline(two_loads(order))  # `synced` looks for races
    assert line.problems == []


def test_what_comes_between_and_is_waited_for_before_is_not_passed() -> None:
    """`s` is read first in each iteration, so that nothing else waits for it."""
    calls = before_the_loop(two_loads(("x0", "s0", "x1")))
    assert calls.index("set 1") > 1


def test_a_loop_that_may_not_run_sets_all_right_before_it() -> None:
    b = KernelBuilder()
    many = b.var("N", "shape", 0)
    a, c = (b.tensor(n, (plus(many, 2), 64), "float32") for n in "AC")
    b.launch(1)
    x = b.alloc("x", (2, 64), "float32", "UB")
    for at in range(2):
        b.op("copy", b.part(a, at, (0, 64)), b.part(x, at, (0, 64)))
    with b.loop("k", many) as k:
        now = b.part(x, binary("%", k, 2), (0, 64))
        b.op("tile.exp", now, now)
        b.op("copy", now, b.part(c, k, (0, 64)))
        b.op("copy", b.part(a, plus(k, 2), (0, 64)), now)
    b.op("copy", b.part(x, 1, (0, 64)), b.part(c, times(many, 1), (0, 64)))
    calls = before_the_loop(synced(b))
    assert [name.startswith("set") for name in calls[:2]] == [False, False]


def calls_of(kernel: Kernel) -> list[TileOp]:
    return [stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp)]


def beside_a_table(rows: bool = False, own: bool = False, first: bool = False) -> Kernel:
    """A table is loaded, and then read in each iteration. `rows`: all of that in another loop; `own`: of
    which each iteration loads a table of its own; `first`: before what the iteration loads."""
    b, many = KernelBuilder(), 8
    a, t, c = (b.tensor(n, (many * 4, 64), "float32") for n in "ATC")
    b.launch(1)
    x, y, z, table = (b.alloc(n, (64,), "float32", "UB") for n in ("x", "y", "z", "table"))

    def row(at: Any) -> None:
        with b.loop("k", many) as k:
            b.op("copy", b.part(a, plus(at, k), (0, 64)), x)
            if first:
                b.op("tile.exp", z, table)
            b.op("tile.add", y, x, z if first else table)
            b.op("copy", y, b.part(c, plus(at, k), (0, 64)))

    if not own:
        b.op("copy", b.part(t, 0, (0, 64)), table)
    if rows:
        with b.loop("i", 4) as i:
            if own:
                b.op("copy", b.part(t, i, (0, 64)), table)
            row(times(i, many))
    else:
        row(0)
    return synced(b)


@pytest.mark.parametrize("first", [False, True])
def test_the_first_load_of_a_loop_does_not_wait_for_one_before_it(first: bool) -> None:
    found = [(call.op, *call.args[:2]) for call in calls_of(beside_a_table(first=first))]
    begin = found.index(("set_flag", "V", "MTE2"))
    assert begin < found.index(("wait_flag", "MTE2", "V"))


def test_what_only_an_inner_loop_hands_on_is_set_once() -> None:
    kernel = beside_a_table(rows=True)
    body = next((s.body for s in kernel.body if isinstance(s, CoreScope)), kernel.body)
    (outer,) = (stmt for stmt in body if isinstance(stmt, For))
    assert [type(stmt) for stmt in outer.body] == [For]


@pytest.mark.parametrize("first", [False, True])
def test_so_it_is_where_what_comes_before_the_inner_loop_has_a_flag_of_its_own(first: bool) -> None:
    """Else the first load of each row would wait until the table of the row is there."""
    kernel = beside_a_table(rows=True, own=True, first=first)
    loops = [stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, For)]
    outer = [(s.op, *s.args[:2]) for s in loops[0].body if isinstance(s, TileOp)]
    back = [call for call in outer if call[1:] == ("V", "MTE2")]
    assert back == [("set_flag", "V", "MTE2"), ("wait_flag", "V", "MTE2")]
    assert outer.index(back[1]) < outer.index(next(call for call in outer if call[0] == "copy"))


@pytest.mark.parametrize("first", [False, True])
def test_what_was_before_a_loop_has_no_flag_where_one_of_each_iteration_does(first: bool) -> None:
    sets = [
        call.args[:2] for call in calls_of(beside_a_table(first=first)) if call.op == "set_flag"
    ]
    assert sets.count(("MTE2", "V")) == (2 if first else 1)


# --- flags that vouch for what others do ------------------------------------------------------------


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_work_in_place_is_waited_for_by_its_store(slots: int) -> None:
    """MTE2 waits for MTE3, which has waited for V."""
    b, many = KernelBuilder(), 12
    a, c = (b.tensor(n, (many, 64), "float32") for n in "AC")
    b.launch(1)
    x = b.alloc("x", (slots, 64), "float32", "UB")
    with b.loop("k", many) as k:
        now = b.part(x, binary("%", k, slots), (0, 64))
        b.op("copy", b.part(a, k, (0, 64)), now)
        b.op("tile.exp", now, now)
        b.op("copy", now, b.part(c, k, (0, 64)))
    pairs = {call.args[:2] for call in calls_of(synced(b)) if call.op == "set_flag"}
    assert pairs == {("MTE2", "V"), ("V", "MTE3"), ("MTE3", "MTE2")}


def test_of_two_loads_that_are_waited_for_at_one_place_the_later_one_does() -> None:
    b, many = KernelBuilder(), 8
    a, c = (b.tensor(n, (many, 64), "float32") for n in "AC")
    b.launch(1)
    x, y = (b.alloc(n, (64,), "float32", "UB") for n in "xy")
    z = b.alloc("z", (2, 64), "float32", "UB")
    b.op("copy", b.part(a, 0, (0, 64)), x)
    b.op("copy", b.part(a, 1, (0, 64)), y)
    with b.loop("k", many) as k:
        now = b.part(z, binary("%", k, 2), (0, 64))
        b.op("tile.add", now, x, y)
        b.op("copy", now, b.part(c, k, (0, 64)))
    waits = [call for call in calls_of(synced(b)) if call.op == "wait_flag"]
    assert len([call for call in waits if call.args[:2] == ("MTE2", "V")]) == 1


# --- what the last iterations of a loop have set ----------------------------------------------------


@pytest.mark.parametrize("ahead", [2, 3])
@pytest.mark.parametrize("many", [7, 8, 9])
def test_behind_a_loop_each_part_waits_for_its_own_load(ahead: int, many: int) -> None:
    b, slots = KernelBuilder(), ahead
    a, c = (b.tensor(n, (many + ahead, 64), "float32") for n in "AC")
    b.launch(1)
    x, y = (b.alloc(n, (slots, 64), "float32", "UB") for n in "xy")

    def work(at: Any) -> None:
        slot = binary("%", at, slots)
        b.op("tile.exp", b.part(y, slot, (0, 64)), b.part(x, slot, (0, 64)))
        b.op("copy", b.part(y, slot, (0, 64)), b.part(c, at, (0, 64)))

    for first in range(ahead):
        b.op("copy", b.part(a, first, (0, 64)), b.part(x, first, (0, 64)))
    with b.loop("k", many) as k:
        work(k)
        b.op("copy", b.part(a, plus(k, ahead), (0, 64)), b.part(x, binary("%", k, slots), (0, 64)))
    for at in range(many, many + ahead):
        work(at)
    body = synced(b).body  # looks for races, and for flags that are set twice
    behind = body[max(at for at, s in enumerate(body) if isinstance(s, For)) + 1 :]
    calls = [call for call in behind if isinstance(call, TileOp)]
    names = [call.op for call in calls if call.args[:2] == ("MTE2", "V") or call.op == "tile.exp"]
    assert names == ["wait_flag", "tile.exp"] * ahead
