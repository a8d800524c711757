"""Rules of T.copy."""

from __future__ import annotations

from tests.checks.helpers import checked, holds, only

from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.expr import Var
from tl_ascend.ir.fold import binary
from tl_ascend.target.dtypes import INT32


def test_a_partial_index_is_pointed_at_and_completed() -> None:
    b = KernelBuilder()
    w = b.tensor("W", (8, 64), "float16")
    tile = b.alloc("w_ub", (2, 64), "float16", "UB")
    op = b.op("copy", b.part(w, 3, (0, 64)), b.at(tile, 0))
    finding = only(b)
    assert finding.name == "copy-shape" and finding.span == op.spans[1]
    assert holds(finding, "w_ub", "2-dimensional", "1 index")
    assert finding.fixes[0].edits[0].new_text == "w_ub[0, :]"


def test_a_partial_index_that_is_computed_gets_no_fix() -> None:
    b = KernelBuilder()
    w = b.tensor("W", (8, 64, 4), "float16")
    tile = b.alloc("w_ub", (64, 4), "float16", "UB")
    with b.loop("i", 8) as i:
        b.op("copy", b.at(w, binary("+", i, 0)), tile)
    finding = only(b)
    assert finding.fixes == () and "W[i, :, :]" in finding.notes[0]


def test_two_elements_say_nothing_about_extents() -> None:
    b = KernelBuilder()
    w = b.tensor("W", (8, 64), "float16")
    tile = b.alloc("w_ub", (2, 64), "float16", "UB")
    b.op("copy", b.at(w, 0, 0), b.at(tile, 0, 0))
    assert holds(only(b), "W[0, 0]", "w_ub[0, 0]", "neither side")


def test_whole_buffers_have_one_shape() -> None:
    b = KernelBuilder()
    w = b.tensor("W", (8, 64), "float16")
    tile = b.alloc("w_ub", (8, 32), "float16", "UB")
    b.op("copy", w, tile)
    assert holds(only(b), "(8, 64)", "(8, 32)")


def test_symbolic_shapes_are_not_judged() -> None:
    b = KernelBuilder()
    rows = Var("M", 900, "shape", 0, None, INT32)
    w = b.tensor("W", (rows, 64), "float16")
    tile = b.alloc("w_ub", (8, 64), "float16", "UB")
    b.op("copy", w, tile)
    b.op("copy", b.part(w, (0, rows), (0, 64)), tile)
    assert checked(b) == []


def test_three_walked_dimensions_are_one_too_many() -> None:
    b = KernelBuilder()
    w = b.tensor("W", (2, 8, 64), "float16")
    tile = b.alloc("w_ub", (2, 8, 64), "float16", "UB")
    b.op("copy", w, tile)
    assert holds(only(b), "3 extents above 1", "two dimensions")


def test_unit_dimensions_do_not_count() -> None:
    b = KernelBuilder()
    q = b.tensor("Q", (2, 4, 256, 64), "float16")
    tile = b.alloc("q_ub", (64, 64), "float16", "UB")
    with b.loop("i", 4) as i:
        b.op("copy", b.part(q, 1, 2, (binary("*", i, 64), 64), (0, 64)), tile)
    assert checked(b) == []


def test_more_than_the_tile_holds() -> None:
    b = KernelBuilder()
    w = b.tensor("W", (64, 64), "float16")
    tile = b.alloc("w_ub", (8, 64), "float16", "UB")
    b.op("copy", b.part(w, (0, 16), (0, 64)), tile)
    b.op("copy", tile, b.part(w, (0, 4), (0, 64)))  # less is fine
    assert holds(only(b), "1024 elements", "512")


def test_what_the_edge_of_the_tensor_cuts_off_does_not_count() -> None:
    b = KernelBuilder()
    w = b.tensor("W", (8, 64), "float16")
    tile = b.alloc("w_ub", (8, 64), "float16", "UB")
    b.op("copy", b.part(w, (0, 16), (0, 64)), tile)
    assert checked(b) == []


def test_paths_that_do_not_exist() -> None:
    b = KernelBuilder()
    w, v = b.tensor("W", (16, 16), "float16"), b.tensor("V", (16, 16), "float16")
    l1 = b.alloc("l1", (16, 16), "float16", "L1")
    ub = b.alloc("ub", (16, 16), "float16", "UB")
    b.op("copy", w, l1)
    b.op("copy", l1, ub)
    b.op("copy", w, v)
    first, second = checked(b)
    assert first.name == second.name == "copy-scope"
    assert holds(first, "L1 (l1)", "the UB (ub)", "L0A or L0B")
    assert holds(second, "GM (W)", "GM (V)", "L1 or UB")


def test_ways_through_a_workspace_are_hints() -> None:
    b = KernelBuilder()
    l0 = b.alloc("l0", (16, 16), "float32", "L0C")
    ub = b.alloc("ub", (16, 16), "float32", "UB")
    l1 = b.alloc("l1", (16, 16), "float32", "L1")
    b.op("copy", l0, ub)
    b.op("copy", ub, l1)
    assert [(f.name, "1024 bytes" in f.message) for f in checked(b)] == [("round-trip", True)] * 2
