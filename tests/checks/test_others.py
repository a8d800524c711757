"""Rules of vector operations, reductions and the kernel as a whole."""

from __future__ import annotations

import pytest
from tests.checks.helpers import checked, holds, only

from tl_ascend.checks.once import told_once
from tl_ascend.checks.run import OPERATION_CHECKS
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Applicability, Edit, Finding, Fix
from tl_ascend.driver.emit import blocks
from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ops.table import ROWS
from tl_ascend.source.span import Home, Span


def tiles(*shapes: tuple[int, ...], kind: str = "float32") -> tuple[KernelBuilder, list]:  # type: ignore[type-arg]
    b = KernelBuilder()
    return b, [b.alloc(f"t{n}", shape, kind, "UB") for n, shape in enumerate(shapes)]


def test_every_check_that_a_row_names_exists() -> None:
    assert {name for row in ROWS for name in row.checks} == set(OPERATION_CHECKS)


def test_sizes_of_operands() -> None:
    b, (x, y, z) = tiles((8, 64), (8, 32), (8, 64))
    b.op("tile.add", x, x, z)
    b.op("tile.exp", x, z)
    assert checked(b) == []
    op = b.op("tile.exp", x, y)
    finding = only(b)
    assert finding.name == "operand-size" and finding.span == op.spans[1]
    assert holds(finding, "256", "512")


def test_a_second_operand_may_be_larger_but_not_smaller() -> None:
    b, (x, y) = tiles((8, 32), (8, 64))
    b.op("tile.add", x, x, y)
    assert checked(b) == []
    b, (x, y) = tiles((8, 64), (8, 32))
    b.op("tile.add", x, x, y)
    assert holds(only(b), "t1 has 256 elements")


def test_rounding_modes() -> None:
    b, (x, y) = tiles((64,), (64,))
    b.op("tile.cast", x, y, "CAST_RINT", 64)
    assert checked(b) == []
    b.op("tile.cast", x, y, "CAST_UP", 64)
    assert holds(only(b), "CAST_UP", "CAST_RINT")


@pytest.mark.parametrize(
    ("target", "source", "axis", "right"),
    [
        ((8, 64), (8, 1), None, True),
        ((8, 64), (1, 64), None, True),
        ((8, 64), (64,), None, True),
        ((8, 64), (8,), 1, True),
        ((8, 64), (8,), 0, False),
        ((8, 64), (16,), None, False),
        ((8, 64), (4, 1), None, False),
        ((8, 64), (8, 2), 1, False),
        ((64,), (1,), None, True),
        ((8, 64), (8, 1), 2, False),
    ],
)
def test_broadcast_shapes(
    target: tuple[int, ...], source: tuple[int, ...], axis: int | None, right: bool
) -> None:
    b, (x, y) = tiles(target, source)
    b.op("tile.broadcast", x, y, axis)
    assert (checked(b) == []) is right


def test_axis_of_a_reduction() -> None:
    b, (x, y) = tiles((8, 64), (8,))
    b.op("reduce_max", x, y, -1)
    assert checked(b) == []
    b.op("reduce_max", x, y, 2)
    assert holds(only(b), "dim=2", "(8, 64)")


def test_column_sums_of_float16_are_a_defect_of_the_template() -> None:
    b, (x, y) = tiles((16, 128), (128,), kind="float16")
    b.op("reduce_sum", x, y, 0)
    assert holds(only(b), "reduce_sum", "float16", "dim=0")
    assert checked(b, upstream="none") == []
    b, (x, y) = tiles((16, 128), (128,), kind="float16")
    b.op("reduce_max", x, y, 0)
    assert checked(b) == []


def matmul_like(out: tuple[int, ...]) -> KernelBuilder:
    b = KernelBuilder()
    a, x, c = (
        b.tensor(n, s, "float32") for n, s in (("A", (8, 64)), ("B", (512, 1024)), ("C", (8, 64)))
    )
    b.launch(1)
    tile = b.alloc("t", (8, 64), "float32", "UB")
    b.op("copy", a, tile)
    b.op("copy", b.at(x, 0, 0), tile)
    b.op("copy", tile, c)
    return b


def test_out_idx_selects_what_is_written() -> None:
    assert checked(matmul_like(()).build(out=(-1,))) == []
    assert checked(matmul_like(()).build(out=(2,))) == []
    kernel = matmul_like(()).build(out=(-2,))
    finding = only(kernel)
    assert finding.name == "out-idx" and finding.span == kernel.options.spans["out_idx"]
    assert holds(finding, "B (512, 1024)", "never written", "C is")
    assert finding.fixes[0].edits[0].new_text == "[-1]"
    assert finding.fixes[0].applicability is Applicability.SAFE
    assert "B is only read" in [one.message for one in finding.related]
    assert holds(only(matmul_like(()).build(out=(3,))), "3 parameters")


def test_a_parameter_that_nothing_touches_is_not_read() -> None:
    b = matmul_like(())
    b.tensor("D", (8, 64), "float32")
    finding = only(b.build(out=(3,)))
    assert "D is not used" in [one.message for one in finding.related]
    # Perhaps it was meant to be written.
    assert finding.fixes[0].applicability is Applicability.UNSAFE


def test_a_count_beyond_a_tile_keeps_no_program_back() -> None:
    """Nothing may lie behind the tile."""
    b = KernelBuilder()
    b.launch(1)
    tile = b.alloc("t", (8, 64), "float32", "UB")
    b.op("tile.round", tile, tile, 1024)
    findings = [one for one in checked(b) if one.name == "operand-size"]
    assert {one.level for one in findings} == {Severity.ERROR}
    assert not any(blocks(one, b.build()) for one in findings)


def test_one_fix_for_what_stands_in_several_places() -> None:
    def rounded_down(node: int) -> Finding:
        place = Span(Home("kernel.py", ""), node)
        fix = Fix("Round up: T.ceildiv(N, 128)", (Edit(place, "T.ceildiv(N, 128)"),))
        return Finding("tail", place, "rows are lost", fixes=(fix,), causes=(("length", 128),))

    kernel = KernelBuilder("main")
    kernel.launch(1)
    found = told_once([rounded_down(node) for node in (1, 2, 3)], kernel.build())
    assert [len(one.fixes) for one in found] == [1]
    assert found[0].fixes[0].title == "Round up: T.ceildiv(N, 128)"
    assert [edit.span.node for edit in found[0].fixes[0].edits] == [1, 2, 3]
