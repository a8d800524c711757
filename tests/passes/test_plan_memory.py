"""Addresses and what is said where they do not suffice."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from tests.passes.happens_before import races
from tests.passes.kernels import address, gemm, lowered, named, times

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.nodes import Kernel
from tl_ascend.target.hardware import A5


def adder(columns: int, again: bool = False, **configs: bool) -> Kernel:
    """c = a + b on tiles of 64 rows of float32. `again`: a and b are used once more."""
    b = KernelBuilder()
    names = ("A", "B", "C")
    a_gm, b_gm, c_gm = (b.tensor(n, (1024, 1024), "float32") for n in names)
    b.launch(8)
    a, x, c = (b.alloc(n, (64, columns), "float32", "UB") for n in ("a_ub", "b_ub", "c_ub"))
    b.op("copy", b.at(a_gm, 0, 0), a)
    b.op("copy", b.at(b_gm, 0, 0), x)
    b.op("tile.add", c, a, x)
    b.op("copy", c, b.at(c_gm, 0, 0))
    for tile in (a, x) if again else ():
        b.op("copy", tile, b.at(a_gm, 0, 0))
    return b.build(**configs)


def chain(count: int, size: int, **configs: bool) -> Kernel:
    """Each of `count` tiles is made from the one before: two are alive at a time."""
    b = KernelBuilder()
    a_gm = b.tensor("A", (size,), "float32")
    b.launch(1)
    tiles = [b.alloc(f"t{n}", (size,), "float32", "UB") for n in range(count)]
    b.op("copy", a_gm, tiles[0])
    for before, after in zip(tiles, tiles[1:], strict=False):
        b.op("tile.exp", after, before)
    b.op("copy", tiles[-1], a_gm)
    return b.build(**configs)


def test_addresses_follow_the_first_use_in_each_memory() -> None:
    kernel, findings = lowered(gemm())
    assert [address(kernel, n) for n in ("A_L1", "B_L1", "C_L0")] == [0, 16384, 0]
    assert findings == []


@pytest.mark.parametrize(("planning", "order"), [(False, "ytx"), (True, "xyt")])
def test_without_planning_a_loop_counts_for_what_is_used_behind_it(
    planning: bool, order: str
) -> None:
    b = KernelBuilder()
    a = b.tensor("A", (8, 64), "float32")
    b.launch(1)
    x, y, t = (b.alloc(n, (64,), "float32", "UB") for n in "xyt")
    with b.loop("i", 8) as i:
        b.op("copy", b.part(a, i, (0, 64)), x)  # x is used here only
        b.op("tile.exp", y, x)
        b.op("tile.exp", t, y)
    b.op("tile.add", y, y, t)
    kernel, _ = lowered(b.build(planning=planning))
    assert sorted("xyt", key=lambda name: address(kernel, name) or 0) == list(order)


@pytest.mark.parametrize("planning", [False, True])
def test_what_no_plan_can_hold_is_an_error_at_the_allocation_that_crosses(planning: bool) -> None:
    kernel = adder(512, planning=planning)
    (finding,) = lowered(kernel)[1]
    assert (finding.name, finding.level) == ("ub-overflow", Severity.ERROR)
    text = finding.message + " ".join(finding.notes)
    for fact in ("393216", "196352", "131072", "UB", "a_ub", "b_ub", "c_ub"):
        assert fact in text
    assert "MEMORY_PLANNING" not in text  # planning would not help
    assert finding.span == kernel.body[1].span


def test_the_physical_size_works_without_planning_and_is_information() -> None:
    (finding,) = lowered(adder(256))[1]
    assert finding.level is Severity.INFO
    assert "196608" in finding.message and "196352" in finding.message


def test_the_planner_of_upstream_refuses_the_last_bytes() -> None:
    (finding,) = lowered(adder(256, planning=True))[1]
    assert finding.level is Severity.ERROR
    (finding,) = lowered(adder(256, again=True, planning=True), upstream="none")[1]
    assert finding.level is Severity.INFO


def test_without_planning_nothing_is_shared_and_the_author_hears_that_it_would_help() -> None:
    kernel, (finding,) = lowered(chain(4, 16384))
    assert finding.level is Severity.ERROR
    assert "262144" in finding.message
    assert any("131072 bytes" in n and "MEMORY_PLANNING" in n for n in finding.notes)


def test_planning_shares_bytes_only_when_it_must() -> None:
    kernel, findings = lowered(chain(3, 4096, planning=True))
    assert [address(kernel, f"t{n}") for n in range(3)] == [0, 16384, 32768]
    kernel, findings = lowered(chain(4, 16384, planning=True))
    assert findings == []
    addresses = [address(kernel, f"t{n}") for n in range(4)]
    assert addresses[3] in addresses[:2]
    reasons = [kernel.place(named(kernel, f"t{n}")).address_reason for n in range(4)]
    assert any("shares bytes" in reason for reason in reasons)


def loop_of(*tiles: str, size: int) -> Kernel:
    """In each iteration `a` and any `b` are loaded, each tile is made from the one before,
    and the last one is stored."""
    b = KernelBuilder()
    a_gm, c_gm = (b.tensor(n, (8, size), "float32") for n in "AC")
    b.launch(1)
    found = {name: b.alloc(name, (size,), "float32", "UB") for name in tiles}
    with b.loop("k", 8) as k:
        for before, name in zip(("", *tiles), tiles, strict=False):
            if name in ("a", "b"):
                b.op("copy", b.part(a_gm, k, (0, size)), found[name])
            if name == "b":
                b.op("tile.add", found[name], found[name], found[before])
            elif before:
                b.op("tile.exp", found[name], found[before])
        b.op("copy", found[tiles[-1]], b.part(c_gm, k, (0, size)))
    return b.build(planning=True, sync=True)


@pytest.mark.parametrize("tiles", ["atuo", "atuvo", "atuvbwo"])
def test_a_load_shares_no_bytes_with_a_store_while_others_can(tiles: str) -> None:
    """Else no iteration could load before the one before it has stored."""
    kernel, findings = lowered(loop_of(*tiles, size=14336 if len(tiles) < 6 else 10240))
    assert findings == [] and races(kernel) == []
    places = {name: address(kernel, name) for name in tiles}
    assert len(set(places.values())) < len(tiles)
    loaded = [places[name] for name in tiles if name in "ab"]
    assert places["o"] not in loaded and len(set(loaded)) == len(loaded)


def test_what_an_operation_fills_takes_the_bytes_of_an_operand_that_dies_where_it_must() -> None:
    kernel, findings = lowered(adder(256, planning=True, sync=True), upstream="none")
    assert findings == []
    assert address(kernel, "c_ub") == address(kernel, "a_ub") != address(kernel, "b_ub")
    reason = kernel.place(named(kernel, "c_ub")).address_reason
    assert reason == "takes the bytes of a_ub, whose last use fills it"
    assert races(kernel) == []
    kernel, _ = lowered(adder(128, planning=True), upstream="none")  # there is room
    assert address(kernel, "c_ub") == 65536


def test_upstreams_planner_does_not_and_that_is_told() -> None:
    _, (finding,) = lowered(adder(256, planning=True))
    assert finding.level is Severity.ERROR
    assert 'upstream = "none"' in finding.notes[-1]


@pytest.mark.parametrize("in_loop", [False, True])
def test_bytes_are_handed_on_along_a_chain(in_loop: bool) -> None:
    b = KernelBuilder()
    a_gm = b.tensor("A", (8, 30000), "float32")
    b.launch(1)
    tiles = [b.alloc(f"t{n}", (30000,), "float32", "UB") for n in range(4)]

    def body(row: Any) -> None:
        b.op("copy", b.part(a_gm, row, (0, 30000)), tiles[0])
        for before, after in pairwise(tiles):
            b.op("tile.exp", after, before)
        b.op("copy", tiles[-1], b.part(a_gm, row, (0, 30000)))

    if in_loop:
        with b.loop("i", 8) as i:
            body(i)
    else:
        body(0)
    kernel, findings = lowered(b.build(planning=True, sync=True), upstream="none")
    assert findings == [] and races(kernel) == []
    assert {address(kernel, f"t{n}") for n in range(4)} == {0}


def dying(kind: str) -> KernelBuilder:
    """y is made of x, and both do not fit; something is in the way of one place for both."""
    b = KernelBuilder()
    a_gm = b.tensor("A", (30000,), "float32")
    b.launch(1)
    x, y = (b.alloc(n, (30000,), "float32", "UB") for n in "xy")
    b.op("copy", a_gm, x)
    with b.loop("i", 2) as i:
        if kind == "a part":
            b.op("tile.exp", b.part(y, (0, 64)), b.part(x, (0, 64)))
        elif kind == "another place":
            b.op("tile.exp", b.part(y, (0, 64)), b.part(x, (times(i, 64), 64)))
        elif kind == "not in place":
            b.op("tile.reciprocal", y, x)
        else:
            b.op("tile.exp", y, x)
    b.op("tile.add", y, y, x if kind == "used later" else y)
    b.op("copy", y, a_gm)
    return b


@pytest.mark.parametrize(
    "kind", ["a part", "another place", "not in place", "used later", "read in the next iteration"]
)
def test_what_is_still_wanted_keeps_its_bytes(kind: str) -> None:
    _, findings = lowered(dying(kind).build(planning=True, sync=True), upstream="none")
    assert [finding.name for finding in findings] == ["ub-overflow"]


def carried(size: int) -> Kernel:
    b = KernelBuilder()
    a_gm = b.tensor("A", (4, size), "float32")
    b.launch(1)
    names = ("total", "part", "late", "more")
    total, part, late, more = (b.alloc(n, (size,), "float32", "UB") for n in names)
    with b.loop("i", 4) as i:
        b.op("tile.add", total, total, 1.0)  # reads what the last iteration left
        b.op("copy", b.part(a_gm, i, (0, size)), part)
        b.op("tile.exp", late, part)
        b.op("tile.exp", more, late)
        b.op("copy", more, b.part(a_gm, i, (0, size)))
    return b.build(planning=True)


def test_a_value_that_a_loop_carries_keeps_its_bytes_through_the_loop() -> None:
    kernel, findings = lowered(carried(12288 + 64))
    assert findings == []
    own = address(kernel, "total")
    assert own is not None
    apart = [abs((address(kernel, n) or 0) - own) for n in ("part", "late", "more")]
    assert min(apart) >= (12288 + 64) * 4


def test_where_that_does_not_fit_the_plan_is_that_of_upstream_and_says_what_it_assumes() -> None:
    _, (finding,) = lowered(carried(16384))
    assert finding.level is Severity.INFO
    assert "only if total holds nothing from one iteration to the next" in finding.message


def test_annotated_addresses_stay_and_are_built_around() -> None:
    b = KernelBuilder()
    b.launch(1)
    x, y = (b.alloc(n, (1024,), "float32", "UB") for n in "xy")
    b.op("tile.exp", y, x)
    b.addresses[x.uid] = 8192
    for planning in (False, True):
        kernel, _ = lowered(b.build(planning=planning))
        assert (address(kernel, "x"), address(kernel, "y")) == (8192, 12288)
        assert kernel.place(x).address_reason == "as T.annotate_address says"


def test_an_unused_buffer_gets_no_bytes() -> None:
    b = KernelBuilder()
    b.launch(1)
    b.alloc("unused", (65536,), "float32", "UB")
    x = b.alloc("x", (64,), "float32", "UB")
    b.op("tile.exp", x, x)
    kernel, findings = lowered(b.build())
    assert (address(kernel, "unused"), address(kernel, "x")) == (None, 0)
    assert findings == []


def test_the_platform_sets_the_limit() -> None:
    assert [f.level for f in lowered(adder(256), platform=A5)[1]] == []


def test_l1_has_its_own_rule() -> None:
    (finding,) = lowered(gemm(k=3072, n=1024, block=(128, 128, 1536)))[1]
    assert finding.name == "l1-overflow"
    assert "786432" in finding.message and "524032" in finding.message


def ragged(rows: int, columns: int, count: int, **configs: bool) -> Kernel:
    """`count` tiles in L1 that are all alive at the end."""
    b = KernelBuilder()
    a = b.tensor("A", (4096, 4096), "float16")
    b.launch(1)
    tiles = [b.alloc(f"t{n}", (rows, columns), "float16", "L1") for n in range(count)]
    c = b.alloc("c", (rows, rows), "float32", "L0C")
    for tile in tiles:
        b.op("copy", b.at(a, 0, 0), tile)
    for tile in tiles:
        b.op("gemm_v0", tiles[0], tile, c, False, True, True)
    b.op("copy", c, b.at(b.tensor("C", (4096, 4096), "float32"), 0, 0))
    return b.build(**configs)


@pytest.mark.parametrize("planning", [True, False])
def test_a_plan_has_room_for_whole_fractals(planning: bool) -> None:
    kernel, findings = lowered(ragged(100, 60, 2, planning=planning))
    assert [address(kernel, n) for n in ("t0", "t1")] == [0, 112 * 64 * 2]
    assert findings == []


@pytest.mark.parametrize("planning", [True, False])
def test_each_version_has_room_for_whole_fractals(planning: bool) -> None:
    b = KernelBuilder()
    source = b.tensor("A", (64, 64), "float16")
    b.launch(1)
    tiles = [b.alloc(f"t{n}", (3, 8, 24), "float16", "L1") for n in range(2)]
    sums = b.alloc("c", (8, 8), "float32", "L0C")
    parts = [b.part(tile, 2, (0, 8), (0, 24)) for tile in tiles]
    for part in parts:
        b.op("copy", b.part(source, (0, 8), (0, 24)), part)
    b.op("gemm_v0", *parts, sums, False, True, True)
    b.op("copy", sums, b.at(b.tensor("C", (64, 64), "float32"), 0, 0))
    kernel, _ = lowered(b.build(planning=planning))
    assert [address(kernel, n) for n in ("t0", "t1")] == [0, 3 * 16 * 32 * 2]


@pytest.mark.parametrize("planning", [True, False])
def test_what_fits_only_without_the_rest_of_its_fractals_fits(planning: bool) -> None:
    kernel, findings = lowered(ragged(1, 16000, 16, planning=planning))  # 16 rows each: 8 MB
    assert [address(kernel, f"t{n}") for n in range(16)] == [32000 * n for n in range(16)]
    assert findings == []
