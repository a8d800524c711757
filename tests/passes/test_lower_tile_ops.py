"""Device calls, extents and scratch."""

from __future__ import annotations

import pytest
from tests.passes.kernels import lowered, named, plus, times

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary, compare, logic
from tl_ascend.ir.geometry import CopyFault, resolve_copy, transfer
from tl_ascend.ir.nodes import Kernel, Region, TileOp, walk_stmts
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import lower
from tl_ascend.passes.summary import operations, unlowered
from tl_ascend.target.hardware import A3


def calls(kernel: Kernel) -> list[TileOp]:
    return [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]


def region(op: TileOp, at: int) -> Region:
    found = op.args[at]
    assert isinstance(found, Region)
    return found


def test_a_corner_takes_the_extents_of_the_other_side() -> None:
    b = KernelBuilder()
    q = b.tensor("Q", (2, 4, 256, 64), "float16")
    b.launch(1)
    tile = b.alloc("tile", (64, 64), "float16", "UB")
    slots = b.alloc("slots", (2, 64, 64), "float16", "UB")
    b.op("copy", b.at(q, 1, 2, 64, 0), tile)
    b.op("copy", b.at(q, 1, 2, 64, 0), b.part(slots, 1, (0, 64), (0, 64)))
    kernel, _ = lowered(b.build())
    first, second = calls(kernel)
    assert region(first, 0).extents == (1, 1, 64, 64)
    assert region(second, 0).extents == (1, 1, 64, 64)
    assert [c.form for c in (first, second)] == ["copy_gm_to_ub"] * 2


def test_a_corner_of_low_rank_takes_the_trailing_extents() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (256, 64), "float16")
    b.launch(1)
    slots = b.alloc("slots", (2, 128, 64), "float16", "L1")
    b.op("copy", b.at(a, 128, 0), b.part(slots, 0, (0, 128), (0, 64)))
    kernel, _ = lowered(b.build())
    assert region(calls(kernel)[0], 0).extents == (128, 64)


@pytest.mark.parametrize(
    ("starts", "valid"), [((0, 0), (32, 32)), ((32, 96), (2, 32)), ((32, 128), (2, 2))]
)
def test_a_transfer_is_clamped_to_the_tensor(
    starts: tuple[Scalar, ...], valid: tuple[int, int]
) -> None:
    b = KernelBuilder()
    a = b.tensor("A", (34, 130), "float32")
    moved = transfer(Region(a, starts, (32, 32), "slice", b.span()))
    assert (moved.valid_rows, moved.valid_columns, moved.stride) == (*valid, 130)


def guarded(kind: str) -> Kernel:
    """A copy of row k + 1 of n + 1 (or m) rows, where only what is around it tells that k < n."""
    b = KernelBuilder()
    n = b.var("n", "shape", 1)
    rows = {"constant": 9, "two cores": 16, "not enough": 8}.get(kind, n)
    a = b.tensor("A", (times(n, 64) if kind == "whole tiles" else rows, 64), "float32")
    _, vid = b.launch(binary("//", n, 64) if kind == "blocks" else 1)
    x = b.alloc("x", (64, 64), "float32", "UB")

    def copy(row: Scalar, many: int = 1) -> None:
        b.op("copy", b.part(a, (row, many), (0, 64)), b.part(x, (0, many), (0, 64)))

    if kind == "blocks":
        copy(times(b.frame.block, 64), 64)  # type: ignore[union-attr]
    elif kind in ("whole tiles", "every row"):
        with b.loop("k", n) as k:
            copy(times(k, 64) if kind == "whole tiles" else k, 64 if kind == "whole tiles" else 1)
    else:
        with b.loop("k", 9 if isinstance(rows, int) else n) as k:
            ahead = {"name": lambda: b.let("ahead", plus(k, 1))}.get(kind, lambda: plus(k, 1))()
            row = plus(times(vid, 8), ahead) if kind == "two cores" else ahead
            last = {"constant": 9, "two cores": 8, "not enough": 9}.get(kind, n)
            below, more = compare("<", ahead, last), compare(">=", ahead, last)
            if kind == "else":
                with b.when(more):
                    b.op("tile.fill", x, 0.0)
                with b.otherwise():
                    copy(row)
            elif kind == "and":
                with b.when(logic("and", (compare(">", k, 1), below))):
                    copy(row)
            else:
                with b.when(compare("==", k, 7) if kind == "equal" else below):
                    copy(row, 2 if kind == "a row too many" else 1)
    return lowered(b.build())[0]


def whole(kernel: Kernel) -> bool:
    (copy,) = [op for op in calls(kernel) if op.form == "copy_gm_to_ub"]
    moved = transfer(region(copy, 0))
    return (moved.rows, moved.columns) == (moved.valid_rows, moved.valid_columns)


@pytest.mark.parametrize(
    "kind",
    ["constant", "symbolic", "two cores", "name", "else", "and", "every row", "whole tiles"]
    + ["blocks"],
)
def test_a_copy_is_whole_where_what_is_around_it_says_so(kind: str) -> None:
    assert whole(guarded(kind))


@pytest.mark.parametrize("kind", ["not enough", "a row too many", "equal"])
def test_what_is_around_it_may_not_be_enough(kind: str) -> None:
    assert not whole(guarded(kind))


def test_a_branch_on_memory_says_nothing() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (8, 64), "float32")
    b.launch(1)
    x = b.alloc("x", (64,), "float32", "UB")
    p = b.alloc("p", (), "int32", "var")
    b.store(p, (), 0)
    with b.when(compare("<", load(p), 8)):
        b.store(p, (), plus(load(p), 3))
        b.op("copy", b.part(a, load(p), (0, 64)), x)
    assert not whole(lowered(b.build())[0])


def test_a_row_of_one_head_strides_over_all_heads() -> None:
    b = KernelBuilder()
    q = b.tensor("Q", (2, 256, 8, 64), "float16")  # batch, sequence, head, dimension
    moved = transfer(Region(q, (0, 64, 3, 0), (1, 64, 1, 64), "slice", b.span()))
    assert (moved.rows, moved.columns, moved.stride) == (64, 64, 8 * 64)


def test_what_cannot_be_resolved_stays_without_a_form() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (8, 64), "float16")
    b.launch(1)
    tile = b.alloc("tile", (2, 64), "float16", "UB")
    assert resolve_copy(b.at(a, 0, 0), b.at(tile, 0), False) is CopyFault.PARTIAL_TARGET
    assert resolve_copy(b.at(a, 0, 0), b.at(tile, 0, 0), False) is CopyFault.NO_EXTENTS
    assert resolve_copy(b.whole(a), b.whole(tile), False) is CopyFault.SHAPES_DIFFER
    op = b.op("copy", b.at(a, 0, 0), b.at(tile, 0))
    kernel = lower(b.build(), LowerOptions(), Report())
    assert unlowered(kernel, A3) == [op]


def test_a_scalar_operand_chooses_the_scalar_call() -> None:
    b = KernelBuilder()
    b.launch(1)
    x = b.alloc("x", (64,), "float32", "UB")
    y = b.alloc("y", (64,), "float32", "UB")
    b.op("tile.add", y, x, x)
    b.op("tile.add", y, x, 2.0)
    b.op("tile.sub", y, x, 2.0)
    b.op("tile.mul", y, x, b.at(x, 3))
    kernel, _ = lowered(b.build())
    assert operations(kernel) == ["Add", "Adds", "Adds", "Muls"]
    assert calls(kernel)[3].args[2] is load(x, 3)


def test_all_calls_share_the_largest_scratch() -> None:
    b = KernelBuilder()
    b.launch(1)
    x = b.alloc("x", (16, 32), "float32", "UB")
    top = b.alloc("top", (16, 1), "float32", "UB")
    b.op("reduce_max", x, top)
    b.op("tile.broadcast", x, top)
    kernel, _ = lowered(b.build())
    scratch = named(kernel, "tmp_ub")
    assert scratch.shape == (16 * 32 * 4,)
    assert [c.extra[0].extents for c in calls(kernel)] == [(2048,), (512,)]
