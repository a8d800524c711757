"""Cores that take turns in a pipelined loop work on different iterations of it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
from tests.passes.cores import disorder
from tests.passes.happens_before import races
from tests.passes.interpret import result_of
from tests.passes.kernels import lowered, named, times

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.nodes import For, Kernel, TileOp, walk_stmts
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import lower

ALL = {"combine": True, "sync": True, "planning": True, "cv_sync": True}


def attention(
    extent: int | str, stages: int, fault: str = "", outer: int = 0, **configs: bool
) -> Kernel:
    """Product, work on it, product of that, sum: cube, vector, cube, vector."""
    b = KernelBuilder()
    count = b.var(extent, "shape", 0) if isinstance(extent, str) else extent
    a, c = b.tensor("A", (count, 16, 16), "float16"), b.tensor("C", (16, 16), "float16")
    b.launch(1, 2)
    q, k, p = (b.alloc(n, (16, 16), "float16", "L1") for n in ("q", "k", "p"))
    s, o = (b.alloc(n, (16, 16), "float32", "L0C") for n in ("s", "o"))
    x, y = (b.alloc(n, (16, 16), "float16", "UB") for n in ("x", "y"))
    old, top, total = (b.alloc(n, (16, 16), "float16", "UB") for n in ("old", "top", "total"))
    b.op("copy", b.part(a, 0, (0, 16), (0, 16)), q)
    b.op("tile.fill", total, 0.0)
    b.op("tile.fill", top, 0.0)

    def loop() -> None:
        with b.loop("i", count, "pipelined", num_stages=stages) as i:
            b.op("copy", b.part(a, i, (0, 16), (0, 16)), k)
            b.op("gemm_v0", q, k, s, init=True)
            b.op("copy", s, x)
            b.op("copy", top, old)
            b.op("tile.max", top, top, x)
            b.op("tile.exp", y, x)
            b.op("copy", y, p)
            b.op("gemm_v0", p, k if fault != "early" else q, o, init=fault != "kept")
            b.op("copy", o, x)
            if fault == "back":
                b.op("tile.max", top, top, x)
            if fault == "flag":
                b.op("set_flag", "v", "mte3", 3)
                b.op("wait_flag", "v", "mte3", 3)
            b.op("tile.mul", total, total, old)
            b.op("tile.add", total, total, x)

    if outer:
        with b.loop("h", outer):
            loop()
    else:
        loop()
    b.op("copy", total, c)
    return b.build(**{**ALL, **configs})


def meaning(kernel: Kernel, **given: int) -> dict[Any, Any]:
    """What is left in C, by the text as it is before the cores are told apart."""
    report = Report()
    joined = lower(kernel, LowerOptions(), report, until="cross-core-pipeline")
    c = named(joined, "C").uid
    return {cell: value for cell, value in result_of(joined, **given).items() if cell[0] == c}


@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize("extent", [1, 4, 5])
def test_any_number_of_iterations(extent: int, stages: int) -> None:
    fast, findings = lowered(attention(extent, stages))
    assert findings == [] and races(fast) == []
    assert disorder(fast, most=9) == []
    assert meaning(attention(extent, stages)) == meaning(attention(extent, 0))


@pytest.mark.parametrize("count", [0, 1, 3, 6])
def test_a_symbolic_number_of_iterations(count: int) -> None:
    fast, findings = lowered(attention("n", 4))
    assert findings == []
    assert all(disorder(fast, seed, most=9) == [] for seed in range(4))
    assert "min(4, n - i * 4)" in kernel_text(fast)
    assert meaning(attention("n", 4), n=count) == meaning(attention("n", 0), n=count)


@pytest.mark.parametrize(
    ("extent", "stages", "outer", "back"),
    [(3, 3, 0, False), (2, 3, 0, False), (4, 3, 0, True), (3, 3, 2, True)],
)
def test_versions_that_are_filled_once_need_no_flag_back(
    extent: int, stages: int, outer: int, back: bool
) -> None:
    text = attention(extent, stages, outer=outer)
    kernel, _ = lowered(text)
    assert races(kernel) == [] and disorder(kernel) == []
    kernel = lower(text, LowerOptions(), Report(), until="cross-core-sync")
    assert ("may be written for the first time" in str(_reasons(kernel))) is back


def _reasons(kernel: Kernel) -> list[str]:
    return [s.reason for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]


def test_a_loop_around_it_starts_anew_each_time() -> None:
    fast, findings = lowered(attention(5, 2, outer=3))
    assert findings == [] and disorder(fast, most=9) == []
    assert meaning(attention(5, 2, outer=3)) == meaning(attention(5, 0, outer=3))


def test_what_is_handed_on_has_a_version_for_each_iteration_of_a_group() -> None:
    fast, _ = lowered(attention(6, 3))
    assert named(fast, "workspace_1").shape == (3, 1, 16, 16)
    assert named(fast, "old").shape == (3, 8, 16)  # threads=2: half the rows
    assert named(fast, "k").shape == (3, 16, 16)
    # Made anew in each part, or used by one part only.
    assert [named(fast, name).rank for name in ("x", "y", "s", "o", "top", "total")] == [2] * 6
    loops = [s for s in walk_stmts(fast.body) if isinstance(s, For)]
    assert [loop.extent for loop in loops] == [2, 3, 3, 2, 3, 3]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("back", "top is used outside"),
        ("flag", "set_flag"),
    ],
)
def test_what_would_change_the_meaning_is_left_alone(fault: str, reason: str) -> None:
    kept, findings = lowered(attention(6, 2, fault))
    assert [f.name for f in findings] == ["not-lowered"] and reason in findings[0].message
    assert disorder(kept, most=9) == []
    assert [s.extent for s in walk_stmts(kept.body) if isinstance(s, For)] == [6, 6]


def test_a_tensor_that_the_author_passes_keeps_its_shape() -> None:
    b = KernelBuilder()
    w = b.tensor("W", (16, 16), "float32")
    b.launch(1)
    l1, l0 = b.alloc("l1", (16, 16), "float16", "L1"), b.alloc("l0", (16, 16), "float32", "L0C")
    ub = b.alloc("ub", (8, 16), "float32", "UB")
    with b.loop("i", 4, "pipelined", num_stages=2):
        b.op("gemm_v0", l1, l1, l0, init=True)
        b.op("copy", l0, w)
        b.op("copy", b.part(w, (times(b.frame.subblock, 8), 8), (0, 16)), ub)  # type: ignore[union-attr]
        with b.when(compare(">", 1, 0)):
            b.op("tile.exp", ub, ub)
    kept, findings = lowered(b.build(**ALL))
    assert [f.name for f in findings] == ["not-lowered"] and "workspace_idx" in findings[0].message
    assert named(kept, "W").shape == (16, 16) and disorder(kept, most=9) == []


def several(stages: tuple[int, ...], nested: bool, own: bool) -> Kernel:
    """Loops one after the other. `nested`: each of them in a loop; `own`: each has tiles of its own."""
    b = KernelBuilder()
    x = b.tensor("A", (4, 16, 16), "float16")
    out = b.tensor("O", (len(stages), 4, 16, 16), "float32")
    b.launch(1, 2)
    l1, l0 = b.alloc("l1", (16, 16), "float16", "L1"), b.alloc("l0", (16, 16), "float32", "L0C")
    tiles = [b.alloc(f"u{n}", (16, 16), "float32", "UB") for n in range(len(stages) if own else 1)]
    for number, stage in enumerate(stages):
        tile = tiles[number % len(tiles)]
        with b.loop(f"h{number}", 2) if nested else nullcontext():
            with b.loop(f"i{number}", 4, "pipelined", num_stages=stage) as i:
                b.op("copy", b.part(x, i, (0, 16), (0, 16)), l1)
                b.op("gemm_v0", l1, l1, l0, init=True)
                b.op("copy", l0, tile)
                b.op("copy", tile, b.part(out, number, i, (0, 16), (0, 16)))
    return b.build(**ALL)


@pytest.mark.parametrize("stages", [(2, 2), (2, 0, 3), (0, 2), (2, 2, 2)])
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("own", [True, False])
def test_each_of_several_loops_is_in_groups(
    stages: tuple[int, ...], nested: bool, own: bool
) -> None:
    fast, findings = lowered(several(stages, nested, own))
    assert findings == [] and races(fast) == []
    assert disorder(fast, most=9) == []
    plain = several((0,) * len(stages), nested, own)
    assert written(several(stages, nested, own)) == written(plain)
    for number, stage in enumerate(stages):
        assert named(fast, f"workspace_{number + 1}").rank == (4 if stage else 3)


# --- branches ------------------------------------------------------------------------------------


def branches(stages: int, form: str, extent: int = 5, kind: str = "parity") -> Kernel:
    """Both cores work in branches that some iterations take."""
    b = KernelBuilder()
    a, out = b.tensor("A", (extent, 16, 16), "float16"), b.tensor("O", (extent, 16, 16), "float32")
    numbers = b.tensor("M", (64,), "int32")
    b.launch(1, 2)
    l1, l0 = b.alloc("l1", (16, 16), "float16", "L1"), b.alloc("l0", (16, 16), "float32", "L0C")
    u, v = (b.alloc(name, (16, 16), "float32", "UB") for name in "uv")
    turn = b.alloc("turn", (), "int32", "var")
    b.store(turn, (), 0)
    b.op("tile.fill", v, 0.0)

    def condition(i: Any) -> Any:
        if kind == "parity":
            return compare("==", binary("%", i, 2), 0)
        return compare(">", load(turn) if kind == "variable" else load(numbers, i), 0)

    with b.loop("i", extent, "pipelined", num_stages=stages) as i:
        b.op("copy", b.part(a, i, (0, 16), (0, 16)), l1)
        b.op("gemm_v0", l1, l1, l0, init=True)
        with b.when(condition(i)):
            b.op("copy", l0, u)
            if form != "apart":
                b.op("tile.add", u, u, 1.0)
        if form == "both":
            with b.otherwise():
                b.op("copy", l0, u)
                b.op("tile.mul", u, u, 3.0)
        elif form == "other":
            with b.otherwise():
                b.op("tile.fill", u, 3.0)
        elif form == "apart":
            with b.when(condition(i)):
                b.op("tile.add", v, v, u)
            b.op("tile.add", u, v, 1.0)
        if form == "one":
            b.op("tile.fill", u, 2.0)
        b.op("copy", u, b.part(out, i, (0, 16), (0, 16)))
        if kind == "variable":
            b.store(turn, (), binary("-", 1, load(turn)))
    return b.build(**ALL)


def written(kernel: Kernel) -> dict[Any, Any]:
    joined = lower(kernel, LowerOptions(), Report(), until="cross-core-pipeline")
    o = named(joined, "O").uid
    return {cell: value for cell, value in result_of(joined).items() if cell[0] == o}


@pytest.mark.parametrize("form", ["both", "other", "one"])
@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize("kind", ["parity", "numbers"])
def test_branches_that_both_cores_take(form: str, stages: int, kind: str) -> None:
    fast, findings = lowered(branches(stages, form, kind=kind))
    assert findings == [], findings
    assert all(disorder(fast, seed, most=9) == [] for seed in range(3)), kernel_text(fast)
    assert all(races(fast, seed) == [] for seed in range(3))
    loops = [s.extent for s in walk_stmts(fast.body) if isinstance(s, For)]
    assert 5 not in loops
    if kind == "parity":
        assert written(branches(stages, form)) == written(branches(0, form))


@pytest.mark.parametrize("kind", ["parity", "numbers", "variable"])
def test_what_some_iterations_hand_over_is_not_overwritten(kind: str) -> None:
    fast, _ = lowered(branches(2, "apart", extent=6, kind=kind))
    assert all(disorder(fast, seed, most=9) == [] for seed in range(6)), kernel_text(fast)


def test_a_branch_that_changes_what_decides_is_not_cut() -> None:
    b = KernelBuilder()
    b.launch(1, 2)
    a = b.tensor("A", (16, 16), "float16")
    l1, l0 = b.alloc("l1", (16, 16), "float16", "L1"), b.alloc("l0", (16, 16), "float32", "L0C")
    u, turn = b.alloc("u", (16, 16), "float32", "UB"), b.alloc("turn", (), "int32", "var")
    b.store(turn, (), 0)
    with b.loop("i", 4, "pipelined", num_stages=2):
        with b.when(compare(">", load(turn), 0)):
            b.op("copy", a, l1)
            b.op("gemm_v0", l1, l1, l0, init=True)
            b.store(turn, (), 0)
            b.op("copy", l0, u)
            b.op("tile.add", u, u, 1.0)
    kept, findings = lowered(b.build(**ALL))
    assert [f.name for f in findings] == ["not-lowered"] and disorder(kept, most=9) == []
