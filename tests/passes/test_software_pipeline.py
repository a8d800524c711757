"""Iterations of a pipelined loop overlap, and the kernel still computes the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.passes.happens_before import races
from tests.passes.interpret import result_of
from tests.passes.kernels import lowered, named, plus, times
from tests.passes.test_split_cores import sides

from tl_ascend.diagnostics.report import Finding
from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.expr import Compare
from tl_ascend.ir.fold import binary, compare, logic
from tl_ascend.ir.nodes import For, If, Kernel, Let, TileOp, walk_stmts
from tl_ascend.ir.storage import buffers
from tl_ascend.ir.text import kernel_text, show
from tl_ascend.passes.pipeline_body import without_lets
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
        ("filling all of x", "part"),
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


def in_place(kind: str, extent: int, stages: int) -> Kernel:
    """Rows of one tensor are read, changed and written. `kind`: where the next row is, or what of a
    tile is used."""
    b = KernelBuilder()
    a, c = b.tensor("A", (24, 16), "float32"), b.tensor("C", (24, 16), "float32")
    b.launch(1)
    x, y = b.alloc("x", (16,), "float32", "UB"), b.alloc("y", (16,), "float32", "UB")
    rows = b.alloc("rows", (8, 16), "float32", "UB")
    with b.loop("i", extent, "pipelined", num_stages=stages) as i:
        if kind == "rows":
            b.op("copy", b.part(a, i, (0, 16)), b.part(rows, i, (0, 16)))
            b.op("tile.exp", x, b.part(rows, i, (0, 16)))
        else:
            b.op("copy", b.part(a, i, (0, 16)), x)
            if kind == "both":
                b.op("copy", b.part(c, i, (0, 16)), y)
                b.op("tile.add", x, x, y)
            b.op("tile.exp", x, x)
        b.op("copy", x, b.part(a, plus(i, 1) if kind in ("next", "both") else i, (0, 16)))
    return b.build(sync=True, planning=True)


@pytest.mark.parametrize("kind", ["same", "rows"])
@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("extent", [1, 2, 5, 8])
def test_rows_that_no_other_iteration_touches_come_ahead(
    extent: int, stages: int, kind: str
) -> None:
    plain, _ = whole(in_place(kind, extent, 0))
    fast, findings = whole(in_place(kind, extent, stages))
    assert findings == [] and races(fast) == []
    assert result_of(fast) == result_of(plain)
    ahead = kind == "same" and stages > 1 and extent > 1
    assert named(fast, "x").rank == (2 if ahead else 1)
    assert named(fast, "rows").shape == (8, 16)  # each iteration has its own already


def test_rows_that_the_next_iteration_reads_do_not() -> None:
    plain, _ = whole(in_place("next", 5, 0))
    kept, (finding,) = whole(in_place("next", 5, 2))
    assert "may read what an earlier one left in A" in finding.message
    assert result_of(kept) == result_of(plain) and races(kept) == []


@pytest.mark.parametrize("stages", [2, 3])
def test_what_can_come_ahead_does_beside_what_cannot(stages: int) -> None:
    plain, _ = whole(in_place("both", 6, 0))
    fast, findings = whole(in_place("both", 6, stages))
    assert findings == [] and races(fast) == []
    assert result_of(fast) == result_of(plain)
    assert named(fast, "y").shape == (stages, 16) and named(fast, "x").shape == (16,)


@pytest.mark.parametrize("extent", [1, 2, 3, 5])
def test_a_pipelined_loop_in_a_pipelined_loop(extent: int) -> None:
    def nest(stages: int) -> Kernel:
        b = KernelBuilder()
        a, c = b.tensor("A", (16, 16), "float32"), b.tensor("C", (16, 16), "float32")
        b.launch(1)
        x, y, z = (b.alloc(name, (16,), "float32", "UB") for name in "xyz")
        with b.loop("i", extent, "pipelined", num_stages=stages) as i:
            b.op("copy", b.part(a, i, (0, 16)), x)
            with b.loop("u", 3, "pipelined", num_stages=stages) as u:
                row = plus(times(i, 3), u)
                b.op("copy", b.part(a, row, (0, 16)), y)
                b.op("tile.add", z, x, y)
                b.op("copy", z, b.part(c, row, (0, 16)))
        return b.build(sync=True, planning=True)

    plain, _ = whole(nest(0))
    fast, findings = whole(nest(2))
    assert findings == [] and races(fast) == []
    assert result_of(fast) == result_of(plain)
    assert named(fast, "x").rank == (2 if extent > 1 else 1) and named(fast, "y").rank == 2


def paged(stages: int, named: str, extent: int = 6) -> Kernel:
    """Blocks by a table. `named`: where the table lies, and what changes it before or behind the copy
    that a name of its value is for."""
    b = KernelBuilder()
    k, c = b.tensor("K", (3, 16), "float32"), b.tensor("C", (24, 16), "float32")
    table = b.tensor("Tb", (64,), "int32")
    b.launch(1)
    x = b.alloc("x", (16,), "float32", "UB")
    own = b.alloc("own", (8,), "int32", "UB")
    b.op("copy", b.part(table, (0, 8)), own)
    with b.loop("t", extent, "pipelined", num_stages=stages) as t:
        if named == "filled":
            b.op("copy", b.part(table, (times(t, 8), 8)), own)
        inside = named not in ("in place", "table", "twice")
        value = load(own, 0) if inside else load(table, t)
        if named != "in place":
            value = b.let("p", value)
        if named == "twice":
            value = binary("%", b.let("q", plus(value, 1)), 3)
        if named == "changed":
            b.op("copy", b.part(table, (times(t, 8), 8)), own)
        b.op("copy", b.part(k, value, (0, 16)), x)
        b.op("tile.exp", x, x)
        if named == "behind":
            b.op("copy", b.part(table, (times(t, 8), 8)), own)
        b.op("copy", x, b.part(c, t, (0, 16)))
        if named == "kept":
            with b.loop("u", 2) as u:
                b.op("copy", x, b.part(c, plus(value, u), (0, 16)))
                b.op("copy", b.part(table, (times(t, 8), 8)), own)
    return b.build(sync=True, planning=True)


def versions(kernel: Kernel, name: str) -> int:
    buffer = next(b for b in buffers(kernel) if b.name == name)
    return buffer.shape[0] if buffer.rank > 1 and isinstance(buffer.shape[0], int) else 1


def without_names(kernel: Kernel) -> Kernel:
    """The kernel whose result is asked for, with values where their names were, if that is the same."""
    loop = next(s for s in kernel.body if isinstance(s, For))
    body = without_lets(loop.body)
    return replace(
        kernel, body=tuple(replace(s, body=body) if s is loop else s for s in kernel.body)
    )


@pytest.mark.parametrize("named", ["in place", "table", "twice", "tile"])
@pytest.mark.parametrize("extent", [2, 3, 5])
def test_a_name_of_a_block_gives_way_to_its_value(named: str, extent: int) -> None:
    plain, _ = whole(without_names(paged(0, named, extent)))
    fast, findings = whole(paged(2, named, extent))
    assert findings == [] and races(fast) == []
    assert result_of(fast) == result_of(plain)
    assert versions(fast, "x") == 2


@pytest.mark.parametrize("named", ["filled", "behind", "changed", "kept"])
def test_only_a_write_before_the_last_use_keeps_a_name(named: str) -> None:
    loop = next(s for s in paged(2, named).body if isinstance(s, For))
    left = any(isinstance(s, Let) for s in without_lets(loop.body))
    assert left is (named in ("changed", "kept"))


@pytest.mark.parametrize("named", ["changed", "kept"])
def test_a_name_stays_where_what_it_is_read_from_changes(named: str) -> None:
    kept, (finding,) = whole(paged(2, named))
    assert "p keeps a value of own, which changes before its last use" in finding.message
    assert races(kept) == [] and result_of(kept) == result_of(whole(paged(0, named))[0])


CONDITIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "first": lambda t, n, v: compare("<", plus(times(t, 2), v), n),
    "up to": lambda t, n, v: compare(">=", n, plus(times(t, 3), 1)),
    "same": lambda t, n, v: compare("<", v, n),
    "both": lambda t, n, v: logic("and", (compare("<", t, n), compare("!=", n, 4))),
    "last": lambda t, n, v: compare("<", n, t),
    "some": lambda t, n, v: compare("==", binary("%", t, 2), v),
}


def in_branch(stages: int, kind: str, extent: int | str = 8, other: bool = False) -> Kernel:
    """A body that is one branch. `kind`: which iterations take it."""
    b = KernelBuilder()
    n = b.var("n", "shape", 0)
    count = b.var(extent, "shape", 0) if isinstance(extent, str) else extent
    a, c = b.tensor("A", (n, 16), "float32"), b.tensor("C", (n, 16), "float32")
    _, vid = b.launch(1)
    x, y = b.alloc("x", (16,), "float32", "UB"), b.alloc("y", (16,), "float32", "UB")
    with b.loop("t", count, "pipelined", num_stages=stages) as t:
        with b.when(CONDITIONS[kind](t, n, vid)):
            b.op("copy", b.part(a, t, (0, 16)), x)
            b.op("tile.exp", y, x)
            b.op("copy", y, b.part(c, t, (0, 16)))
        if other:
            with b.otherwise():
                b.op("copy", y, b.part(c, t, (0, 16)))
    return b.build(sync=True, planning=True)


@pytest.mark.parametrize("extent", [1, 2, 8, "m"])
@pytest.mark.parametrize("kind", ["first", "up to", "same", "both"])
def test_a_branch_that_the_first_iterations_take_overlaps(kind: str, extent: int | str) -> None:
    plain, _ = whole(in_branch(0, kind, extent))
    fast, findings = whole(in_branch(2, kind, extent))
    assert findings == [] and races(fast) == []
    assert extent == 1 or versions(fast, "x") == 2
    for n in range(10):
        for m in (0, 1, 2, 5) if extent == "m" else (0,):
            assert result_of(fast, n=n, m=m) == result_of(plain, n=n, m=m)


@pytest.mark.parametrize(
    ("kind", "other", "why"),
    [
        ("last", False, "others than the first iterations"),
        ("some", False, "others than the first iterations"),
        ("first", True, "a branch of two ways"),
    ],
)
def test_another_branch_stays_and_says_why(kind: str, other: bool, why: str) -> None:
    kept, (finding,) = whole(in_branch(2, kind, other=other))
    assert why in finding.message
    for n in range(5):
        plain, _ = whole(in_branch(0, kind, other=other))
        assert result_of(kept, n=n) == result_of(plain, n=n)
