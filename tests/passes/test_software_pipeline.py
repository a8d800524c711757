"""Iterations of a pipelined loop overlap, and the kernel still computes the same."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passes.happens_before import races
from tests.passes.interpret import result_of
from tests.passes.kernels import lowered, named, plus, times
from tests.passes.test_split_cores import sides

from tl_ascend.diagnostics.report import Finding
from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.expr import Compare
from tl_ascend.ir.fold import compare
from tl_ascend.ir.nodes import For, If, Kernel, TileOp, walk_stmts
from tl_ascend.ir.text import kernel_text, show
from tl_ascend.passes.summary import operations


def stream(extent: int | str, stages: int, sync: bool = True, **notes: Any) -> Kernel:
    """Copy in, work, copy out: as many rows as the loop has iterations."""
    b = KernelBuilder()
    count = b.var(extent, "shape", 0) if isinstance(extent, str) else extent
    a, c = b.tensor("A", (count, 16), "float32"), b.tensor("C", (count, 16), "float32")
    b.launch(1)
    x, y = b.alloc("x", (16,), "float32", "UB"), b.alloc("y", (16,), "float32", "UB")
    total = b.alloc("total", (16,), "float32", "UB")
    b.op("tile.fill", total, 0.0)
    with b.loop("i", count, "pipelined", num_stages=stages, **notes) as i:
        b.op("copy", b.part(a, i, (0, 16)), x)
        if not sync:
            b.op("barrier_all")
        with b.when(compare("==", i, 0)):
            b.op("tile.abs", y, x)
        with b.otherwise():
            b.op("tile.add", y, x, total)
        b.op("tile.add", total, total, x)
        if not sync:
            b.op("barrier_all")
        b.op("copy", y, b.part(c, i, (0, 16)))
    b.op("copy", total, b.part(c, 0, (0, 16)))
    return b.build(sync=sync, planning=True)


def whole(kernel: Kernel) -> tuple[Kernel, list[Finding]]:
    done, findings = lowered(kernel)
    assert not any(isinstance(s, For) and s.kind == "pipelined" for s in walk_stmts(done.body))
    return done, findings


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("extent", [1, 2, 3, 4, 7, 8])
def test_the_result_is_that_of_the_plain_loop(extent: int, stages: int) -> None:
    plain, _ = whole(stream(extent, 0))
    fast, findings = whole(stream(extent, stages))
    assert findings == [] and races(fast) == []
    assert result_of(fast) == result_of(plain)
    assert named(fast, "x").rank == (2 if stages > 1 and extent > 1 else 1)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 9])
def test_a_symbolic_extent_of_any_size(count: int) -> None:
    plain, _ = whole(stream("n", 0))
    fast, findings = whole(stream("n", 3))
    assert findings == [] and races(fast) == []
    assert "max(n - 3, 0)" in kernel_text(fast)
    assert result_of(fast, n=count) == result_of(plain, n=count)
    # Each step at either end asks once, and does nothing that is out of reach.
    asked = [s.condition for s in walk_stmts(fast.body) if isinstance(s, If)]
    steps = [c for c in asked if isinstance(c, Compare) and c.op == "<"]
    assert sorted(map(show, steps)) == sorted(2 * ["0 < n", "1 < n", "2 < n"])


@pytest.mark.parametrize("stages", [0, 2])
@pytest.mark.parametrize("extent", [1, 3, 6])
def test_the_authors_stages_and_orders(extent: int, stages: int) -> None:
    """Where he gives both, nobody asks for their number."""
    notes = {"stage": (0, 1, 1, 2), "order": (3, 1, 2, 0)}
    plain, _ = whole(stream(extent, 0))
    fast, findings = whole(stream(extent, stages, **notes))
    assert findings == [] and races(fast) == []
    assert result_of(fast) == result_of(plain)
    first = [s.form for s in walk_stmts(fast.body) if isinstance(s, TileOp) and s.form != "Fill"]
    assert first[0] == "copy_gm_to_ub"


def test_an_order_that_changes_the_meaning_is_not_used() -> None:
    notes = {"stage": (0, 2, 1, 2), "order": (0, 1, 2, 3)}  # total is added up too early
    plain, _ = whole(stream(5, 0))
    kept, findings = whole(stream(5, 2, **notes))
    assert [f.name for f in findings] == ["not-lowered"] and "total" in findings[0].message
    assert result_of(kept) == result_of(plain)
    _, findings = whole(stream(5, 2, stage=(0, 1), order=(0, 1)))
    assert "4 numbers" in findings[0].message


@pytest.mark.parametrize("name", ["stage", "order"])
def test_stages_without_orders_have_no_effect_and_say_so(name: str) -> None:
    kept, (finding,) = whole(stream(5, 0, **{name: (0, 1, 2, 3)}))
    assert kernel_text(kept) == kernel_text(whole(stream(5, 0))[0])
    assert finding.name == "not-lowered" and f"{name} has no effect without" in finding.message


@pytest.mark.parametrize("extent", [3, 6])
def test_orders_of_a_loop_that_cannot_overlap_say_why(extent: int) -> None:
    notes = {"stage": (0, 2, 1, 2), "order": (0, 1, 2, 3)}
    kept, (finding,) = whole(stream(extent, 0, **notes))
    assert result_of(kept) == result_of(whole(stream(extent, 0))[0])
    assert "order and stage have no effect" in finding.message and "total" in finding.message


def test_an_order_that_gives_one_place_twice_is_told() -> None:
    notes = {"stage": (0, 1, 1, 1), "order": (0, 1, 1, 2)}
    kept, findings = whole(stream(5, 2, **notes))
    assert [f.name for f in findings] == ["not-lowered"] and "place 1" in findings[0].message
    assert result_of(kept) == result_of(whole(stream(5, 0))[0])


def test_with_the_authors_barriers_a_tile_is_not_refilled_in_the_step_that_reads_it() -> None:
    plain, _ = whole(stream(6, 0, sync=False))
    fast, findings = whole(stream(6, 2, sync=False))
    assert findings == []
    assert result_of(fast) == result_of(plain)
    assert named(fast, "x").shape == (3, 16)
    # Adds that follow each other on one pipe are the author's to order, here as before.
    assert set(races(fast)) <= set(races(plain)) and "copy" not in str(races(plain))


def test_matrix_copies_run_ahead_of_the_matrix_unit() -> None:
    b = KernelBuilder()
    a, c = b.tensor("A", (64, 512), "float16"), b.tensor("C", (64, 64), "float32")
    b.launch(1)
    x = b.alloc("x", (64, 64), "float16", "shared")
    acc = b.alloc("acc", (64, 64), "float32", "fragment")
    with b.loop("k", 8, "pipelined", num_stages=3) as k:
        b.op("copy", b.part(a, (0, 64), (times(k, 64), 64)), x)
        b.op("gemm_v0", x, x, acc, init=compare("==", k, 0))
    b.op("copy", acc, c)
    fast, findings = lowered(b.build(sync=True, planning=True, combine=True))
    assert findings == [] and races(fast) == []
    assert operations(fast) == [
        *["copy_gm_to_l1"] * 3,
        *["gemm_v0"] * 3,
        "copy_l0c_to_gm",
    ]
    assert named(fast, "x").shape == (3, 64, 64)
    assert fast.place(named(fast, "x")).shape == (3, 64, 64)
    assert "gemm_v0(x[k % 3, :, :], x[k % 3, :, :], acc" in kernel_text(fast)
    assert sides(fast)["C"].count("For") == 1


@pytest.mark.parametrize(
    ("reason", "build"),
    [
        ("the same value outside", "after"),
        ("one place", "address"),
        ("way out", "leave"),
        ("set_flag", "flag"),
        ("no tile from GM", "none"),
        ("each iteration fills x before it reads it", "part"),
    ],
)
def test_what_cannot_overlap_stays_as_it_is(reason: str, build: str) -> None:
    b = KernelBuilder()
    a, c = b.tensor("A", (64, 32), "float32"), b.tensor("C", (64, 32), "float32")
    b.launch(1)
    x, y = b.alloc("x", (32,), "float32", "UB"), b.alloc("y", (32,), "float32", "UB")
    if build == "address":
        b.addresses[x.uid] = 0
    with b.loop("i", 6, "pipelined", num_stages=2) as i:
        if build != "none":
            target = b.part(x, (0, 16)) if build == "part" else x
            b.op("copy", b.part(a, i, (0, 16 if build == "part" else 32)), target)
        if build == "flag":
            b.op("set_flag", "mte2", "v", 0)
            b.op("wait_flag", "mte2", "v", 0)
        b.op("tile.exp", y, x)
        if build == "leave":
            with b.when(compare(">", i, 3)):
                b.leave()
    if build == "after":
        b.op("copy", x, b.part(c, 0, (0, 32)))
    b.op("copy", y, b.part(c, plus(1, 0), (0, 32)))
    done, findings = whole(b.build(sync=build != "flag", planning=True))
    assert [f.name for f in findings] == ["not-lowered"] and reason in findings[0].message
    assert [s.extent for s in walk_stmts(done.body) if isinstance(s, For)] == [6]


def in_place(stages: int, step: int, table: bool = False, memory: str = "") -> Kernel:
    """Parts of a tensor are worked on where they are. `step`: columns from one to the next; `table`:
    a table says which; `memory`: of a tile of all of them that is worked on instead."""
    b = KernelBuilder()
    a, rows = b.tensor("A", (8, 256), "float32"), b.tensor("R", (8,), "int32")
    b.launch(1)
    x = b.alloc("x", (8, 16), "float32", "UB")
    every = b.alloc("every", (8, 256), "float32", "UB")
    with b.loop("i", 6, "pipelined", num_stages=stages) as i:
        column = times(load(rows, i) if table else i, step)
        b.op("copy", b.part(a, (0, 8), (column, 16)), x)
        b.op("tile.exp", x, x)
        if memory:
            b.op("copy", x, b.part(every, (0, 8), (column, 16)))
        else:
            b.op("copy", x, b.part(a, (0, 8), (column, 16)))
    if memory:
        b.op("copy", every, a)
    return b.build(sync=True, planning=True)


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("memory", ["", "UB"])
def test_iterations_with_parts_of_their_own_overlap(stages: int, memory: str) -> None:
    plain, _ = whole(in_place(0, 16, memory=memory))
    fast, findings = whole(in_place(stages, 16, memory=memory))
    assert findings == [] and races(fast) == []
    assert result_of(fast) == result_of(plain)
    assert [s.extent for s in walk_stmts(fast.body) if isinstance(s, For)] != [6]
    assert named(fast, "every").rank == 2


@pytest.mark.parametrize(("step", "table"), [(8, False), (0, False), (16, True)])
def test_iterations_that_may_meet_in_a_tensor_do_not(step: int, table: bool) -> None:
    kept, findings = whole(in_place(2, step, table))
    assert "iterations may touch the same elements of A" in findings[0].message
    assert [s.extent for s in walk_stmts(kept.body) if isinstance(s, For)] == [6]


@pytest.mark.parametrize(("ahead", "meets"), [(4, False), (1, True)])
def test_iterations_that_meet_further_apart_overlap_as_far_as_that(ahead: int, meets: bool) -> None:
    def rows(stages: int) -> tuple[Kernel, list[Finding]]:
        b = KernelBuilder()
        a = b.tensor("A", (64, 16), "float32")
        b.launch(1)
        x = b.alloc("x", (16,), "float32", "UB")
        with b.loop("i", 6, "pipelined", num_stages=stages) as i:
            b.op("copy", b.part(a, i, (0, 16)), x)
            b.op("tile.exp", x, x)
            b.op("copy", x, b.part(a, plus(i, ahead), (0, 16)))
        return whole(b.build(sync=True, planning=True))

    fast, findings = rows(2)
    assert bool(findings) is meets and races(fast) == []
    assert result_of(fast) == result_of(rows(0)[0])


def two_passes(stages: int, filled: str, planning: bool = True) -> Kernel:
    """A sum over rows, and then each row again, by way of one tile. `filled`: what brings the second
    row before it is read: always, in a branch, or not at all."""
    b = KernelBuilder()
    a, c = b.tensor("A", (6, 16), "float32"), b.tensor("C", (6, 16), "float32")
    cid, _ = b.launch(2)
    x, total = b.alloc("x", (16,), "float32", "UB"), b.alloc("total", (16,), "float32", "UB")
    b.op("tile.fill", total, 0.0)
    with b.loop("i", 6, "pipelined", num_stages=stages) as i:
        b.op("copy", b.part(a, i, (0, 16)), x)
        b.op("tile.add", total, total, x)
    with b.loop("k", 6, "pipelined", num_stages=stages if filled == "both" else 0) as k:
        if filled in ("always", "both"):
            b.op("copy", b.part(a, k, (0, 16)), x)
        elif filled == "branch":
            with b.when(compare("==", cid, 0)):
                b.op("copy", b.part(a, k, (0, 16)), x)
        b.op("tile.sub", x, x, total)
        b.op("copy", x, b.part(c, k, (0, 16)))
    return b.build(sync=True, planning=planning)


@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize("filled", ["always", "both"])
def test_a_tile_that_other_code_fills_anew_has_versions_in_the_loop(
    filled: str, stages: int
) -> None:
    plain, _ = whole(two_passes(0, filled))
    fast, findings = whole(two_passes(stages, filled))
    assert races(fast) == [] and result_of(fast) == result_of(plain)
    told = [f.message for f in findings]
    assert told == [] or (filled == "both" and all("x" in text for text in told))
    assert named(fast, "x_loop").shape == (stages, 16)


@pytest.mark.parametrize("filled", ["branch", "nothing"])
def test_a_tile_that_may_carry_a_value_out_of_the_loop_has_none(filled: str) -> None:
    plain, _ = whole(two_passes(0, filled))
    kept, (finding,) = whole(two_passes(2, filled))
    assert "x holds the same value outside" in finding.message
    assert result_of(kept) == result_of(plain)


def test_without_planning_a_tile_that_is_used_elsewhere_has_none() -> None:
    """Its versions would take bytes beside it that nobody asked for."""
    _, (finding,) = whole(two_passes(2, "always", planning=False))
    assert "x is used outside of the loop" in finding.message
