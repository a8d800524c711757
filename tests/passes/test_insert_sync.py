"""Automatic synchronisation: no race on any run, no flag set twice, none left set."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from tests.passes.happens_before import races
from tests.passes.kernels import gemm, lowered, online_softmax, plus, silu, times

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.fold import compare
from tl_ascend.ir.hazards import hazards, numbered
from tl_ascend.ir.nodes import Kernel, TileOp, walk_stmts
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.summary import sync_counts


def synced(kernel: Kernel) -> Kernel:
    result, _ = lowered(kernel)
    assert races(result, runs=4) == []
    return result


def test_nothing_is_inserted_unless_asked() -> None:
    assert not any(sync_counts(lowered(silu(combine=True))[0]).values())


def test_the_oracle_finds_what_is_missing() -> None:
    found = races(lowered(silu(combine=True))[0])
    assert "Sub a on V is not behind copy_gm_to_ub a on MTE2" in found


def test_straight_vector_code() -> None:
    kernel = synced(silu(combine=True, sync=True))
    counts = sync_counts(kernel)
    assert (counts["set_flag"], counts["wait_flag"], counts["pipe_barrier"]) == (2, 2, 4)


def test_a_set_stands_behind_its_producer_and_the_wait_before_its_consumer() -> None:
    lines = kernel_text(synced(silu(combine=True, sync=True))).splitlines()
    names = [line.strip().split("(")[0] for line in lines]
    copy = names.index("copy_gm_to_ub")
    assert names[copy + 1 : copy + 4] == ["set_flag", "Fill", "wait_flag"]


@pytest.mark.parametrize("tiles", [2, 6, 12])
def test_the_sets_of_independent_tiles_stand_behind_their_producers(tiles: int) -> None:
    b = KernelBuilder()
    a = b.tensor("A", (tiles, 64), "float32")
    b.launch(1)
    parts = [b.alloc(f"t{n}", (64,), "float32", "UB") for n in range(tiles)]
    for n, part in enumerate(parts):
        b.op("copy", b.part(a, n, (0, 64)), part)
    for part in parts:
        b.op("tile.exp", part, part)
    lines = kernel_text(synced(b.build(sync=True))).splitlines()
    names = [line.strip().split("(")[0] for line in lines]
    early = sum(pair == ("copy_gm_to_ub", "set_flag") for pair in pairwise(names))
    assert early == min(tiles, 6)  # the copy itself uses one id, and one flag serves the rest
    assert "barrier_all" not in names


def test_every_addition_says_why() -> None:
    kernel = synced(silu(combine=True, sync=True))
    reasons = [
        s.reason
        for s in walk_stmts(kernel.body)
        if isinstance(s, TileOp) and s.op.endswith(("flag", "barrier"))
    ]
    assert "V reads a, written by MTE2" in reasons and all(reasons)


def test_gemm_loop_orders_the_next_iteration_and_avoids_the_ids_of_the_template() -> None:
    kernel = synced(gemm(explicit=False, combine=True, sync=True))
    flags = {
        (s.args[0], s.args[1], s.args[2])
        for s in walk_stmts(kernel.body)
        if isinstance(s, TileOp) and s.op == "set_flag"
    }
    assert {f[:2] for f in flags} == {("MTE2", "MTE1"), ("MTE1", "MTE2"), ("M", "FIX")}
    assert all(isinstance(event, int) and event > 0 for *_, event in flags)


def test_reduction_loop() -> None:
    kernel = synced(online_softmax(combine=True, sync=True, planning=True))
    # Rows of B are apart, so that the copies out need no order among themselves.
    assert '"MTE3")' not in "".join(
        line for line in kernel_text(kernel).splitlines() if "pipe_barrier" in line
    )


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


def test_buffers_that_share_bytes_are_ordered() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (4096,), "float32")
    b.launch(1)
    x, y = (b.alloc(n, (1024,), "float32", "UB") for n in "xy")
    b.op("tile.exp", x, x)
    b.op("copy", b.part(a, (0, 1024)), y)
    b.addresses.update({x.uid: 0, y.uid: 2048})
    kernel = synced(b.build(sync=True))
    (flag,) = [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp) and s.op == "set_flag"]
    assert "whose bytes" in flag.reason


def test_a_branch_not_taken_orders_nothing() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (8, 64), "float32")
    b.launch(8)
    x, y = (b.alloc(n, (64,), "float32", "UB") for n in "xy")
    count = b.alloc("count", (), "int32", "var")
    b.op("copy", b.part(a, 0, (0, 64)), x)
    with b.when(compare(">", load(count), 0)):
        b.op("tile.exp", y, x)
    b.op("tile.abs", y, x)
    synced(b.build(sync=True))


def test_a_full_barrier_stands_in_where_no_flag_joins_two_pipes() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (64, 64), "float32")
    b.launch(1)
    l0 = b.alloc("l0", (64, 64), "float32", "L0C")
    l1 = b.alloc("l1", (64, 64), "float16", "L1")
    b.op("gemm_v0", l1, l1, l0, init=True)
    b.op("copy", l0, a)
    b.store(a, (0, 0), 1.0)
    kernel = synced(b.build(sync=True))
    assert sync_counts(kernel)["barrier_all"] == 0  # FIX to S has a flag
    assert '"FIX", "S"' in kernel_text(kernel)


def test_ids_that_the_author_uses_are_left_to_him() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (8, 64), "float32")
    b.launch(1)
    x = b.alloc("x", (64,), "float32", "UB")
    b.op("set_flag", "mte2", "v", 0)
    with b.loop("i", 8) as i:
        b.op("copy", b.part(a, i, (0, 64)), x)
        b.op("tile.exp", x, x)
    b.op("wait_flag", "mte2", "v", 0)
    text = kernel_text(synced(b.build(sync=True)))
    assert 'set_flag("MTE2", "V", eventId=1)' in text


def test_one_flag_serves_all_for_which_none_is_left() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (16, 64), "float32")
    b.launch(1)
    tiles = [b.alloc(f"t{n}", (64,), "float32", "UB") for n in range(12)]
    for n, tile in enumerate(tiles):
        b.op("copy", b.part(a, n, (0, 64)), tile)
    for tile in tiles:
        b.op("tile.exp", tile, tile)
    counts = sync_counts(synced(b.build(sync=True)))
    assert (counts["set_flag"], counts["wait_flag"], counts["barrier_all"]) == (7, 7, 0)


@pytest.mark.parametrize(("taken", "flags", "barriers"), [(7, 1, 0), (8, 0, 1)])
def test_a_flag_without_a_free_id_becomes_a_barrier(taken: int, flags: int, barriers: int) -> None:
    b = KernelBuilder()
    a = b.tensor("A", (64,), "float32")
    b.launch(1)
    x, y = (b.alloc(n, (64,), "float32", "UB") for n in "xy")
    for event in range(taken):
        b.op("set_flag", "mte2", "v", event)
    b.op("copy", a, x)
    b.op("tile.exp", y, x)
    for event in range(taken):
        b.op("wait_flag", "mte2", "v", event)
    counts = sync_counts(synced(b.build(sync=True)))
    assert (counts["set_flag"] - taken, counts["barrier_all"]) == (flags, barriers)


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
