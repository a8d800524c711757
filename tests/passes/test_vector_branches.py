"""Branches and choices in `T.Parallel` loops."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passes.kernels import lowered, plus
from tests.passes.parallel_loops import Loop, plain

from tl_ascend.ir.build import load
from tl_ascend.ir.expr import Call
from tl_ascend.ir.fold import compare, select


def test_a_branch_on_elements_is_a_choice() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        with k.b.when(compare(">", load(k.a, i, j), 0)):
            k.b.store(k.c, (i, j), 0.0)
            k.b.store(k.x, (i, j), load(k.c, i, j))

    text, (finding,) = k.over(body)
    assert plain(text) == (
        "Fill(c_tmp_0, 0.0)\nCompareScalar(c_tmp_1, a, 0, GT)\n"
        "Select(c, c_tmp_1, c_tmp_0, c, VSEL_TENSOR_TENSOR_MODE)\n"
        "CompareScalar(c_tmp_1, a, 0, GT)\n"
        "Select(b, c_tmp_1, c, b, VSEL_TENSOR_TENSOR_MODE)"
    )
    assert "a branch in the body" in finding.message


def test_a_branch_that_is_the_same_for_a_row_goes_around_the_row() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        with k.b.when(compare(">", load(k.column, i), 0)):
            with k.b.when(compare(">", i, k.cid)):
                k.b.store(k.c, (i, j), plus(load(k.a, i, j), 1.0))

    text, (finding,) = k.over(body)
    assert "upstream's compiler makes 2048 scalar operations" in finding.message
    assert "a branch in the body" in finding.message
    assert text == (
        "for i in serial(0, 32):\n  if column[i] > 0:\n    if i > cid:\n"
        "      Adds(c[i, :], a[i, :], 1.0)"
    )


def test_a_branch_whose_body_changes_its_condition_stays() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        with k.b.when(compare(">", load(k.a, i, j), 0)):
            k.b.store(k.a, (i, j), 0.0)
            k.b.store(k.c, (i, j), 1.0)

    text, (finding,) = k.over(body)
    assert "if a[i, j] > 0:" in text and "changes what the condition reads" in finding.message


def test_a_branch_that_is_the_same_for_all_goes_around_the_loops() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        with k.b.when(compare(">", k.cid, 3)):
            k.b.store(k.c, (i, j), plus(load(k.a, i, j), 1.0))

    text, findings = k.over(body)
    assert text == "if cid > 3:\n  Adds(c, a, 1.0)" and findings == []


def test_a_choice_between_bfloat16_is_one_of_float32() -> None:
    k = Loop("bfloat16")
    condition = lambda i, j: compare(">", load(k.a, i, j), load(k.x, i, j))  # noqa: E731
    text, _ = k.over(
        lambda i, j: k.set(k.c, i, j)(
            select(condition(i, j), Call("exp", (load(k.a, i, j),), k.a.dtype), load(k.x, i, j))
        )
    )
    assert [line.split("(")[0] for line in text.splitlines()].count("copy_ub_to_ub") == 3
    assert "Exp(" in text and "Compare(" in text and "Select(" in text


@pytest.mark.parametrize(("width", "kind", "compared"), [(17, "float16", 128), (37, "float32", 64)])
@pytest.mark.parametrize("both", [False, True])
def test_widths_that_are_not_compared_are_filled_up(
    width: int, kind: str, compared: int, both: bool
) -> None:
    k = Loop(kind)
    a, x, c = (k.tile(name, (width,), kind) for name in ("s", "t", "u"))
    for _ in range(3):
        k.b.blocks[0].insert(-5, k.b.blocks[0].pop())
    other = (lambda j: load(x, j)) if both else (lambda j: 0.5)
    text, _ = k.over(
        lambda j: k.set(c, j)(select(compare(">", load(a, j), other(j)), load(a, j), load(x, j))),
        (width,),
    )
    lines = text.splitlines()
    assert "for" not in text
    assert sum(line.startswith("Fill(") for line in lines) == 1 + both
    assert sum(f"[0:{width}], " in line for line in lines) == 1 + both
    assert lines[-1].startswith("Select(u, ")
    sizes = {tile.shape for tile in lowered(k.b.build())[0].scratch}
    assert {(compared,), (compared // 8,)} <= sizes


def test_a_name_that_a_call_in_a_branch_needs_stays_bound() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        value = k.b.let("t", plus(load(k.a, i, j), 1.0))
        with k.b.when(compare(">", value, 2.0)):
            k.b.op("printf", "%f", value)

    text, (finding,) = k.over(body)
    assert "t = a[i, j] + 1.0" in text and "if t > 2.0" in text
    assert "more than element-wise stores" in finding.message
