"""Automatic synchronisation: no race on any run, no flag set twice, none left set."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.passes.happens_before import races
from tests.passes.kernels import gemm, lowered, online_softmax, silu

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.fold import compare
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
