"""What of `T.Parallel` loops stays scalar code, here or with upstream's compiler, and what is said."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passes.kernels import plus
from tests.passes.parallel_loops import Loop, plain

from tl_ascend.ir.build import load, type_of
from tl_ascend.ir.expr import Call, Cast, Logic
from tl_ascend.ir.fold import binary, compare, select


def scalar_cases(k: Loop) -> dict[str, Any]:
    f32 = type_of("float32")
    return {
        "no vector operation for %": lambda i, j: binary("%", load(k.a, i, j), 2.0),
        "may lie outside of a": lambda i, j: select(
            compare(">", load(k.x, i, j), 0), load(k.a, i, plus(j, 8)), 0.0
        ),
        "is read transposed": lambda i, j: load(k.tile_t, j, i),  # type: ignore[attr-defined]
        "no plain loop variable": lambda i, j: load(k.a, i, binary("%", j, 7)),
        "with the step 2": lambda i, j: load(k.bytes, i, binary("*", j, 2)),  # type: ignore[attr-defined]
        "may start at no multiple of 32": lambda i, j: load(k.bytes, i, plus(j, 1)),  # type: ignore[attr-defined]
        "T.atan has no vector form": lambda i, j: Call("atan", (load(k.a, i, j),), f32),
        "the vector unit compares": lambda i, j: select(
            compare(">", load(k.whole, i, j), 0),  # type: ignore[attr-defined]
            load(k.a, i, j),
            0.0,
        ),
    }


@pytest.mark.parametrize("reason", list(scalar_cases(Loop())))
def test_what_stays_scalar_is_told_with_its_cost(reason: str) -> None:
    k = Loop()
    k.tile_t = k.tile("t", (64, 32), "int8")  # type: ignore[attr-defined]
    k.bytes = k.tile("bytes", (32, 64), "int8")  # type: ignore[attr-defined]
    k.whole = k.tile("whole", (32, 64), "int32")  # type: ignore[attr-defined]
    for _ in range(3):
        k.b.blocks[0].insert(-4, k.b.blocks[0].pop())
    value = scalar_cases(k)[reason]
    narrow = reason in ("with the step 2", "may start at no multiple of 32")
    extents = (32, 32) if narrow else (32, 64)
    text, (finding,) = k.over(lambda i, j: k.set(k.c, i, j)(value(i, j)), extents)
    assert finding.name == "parallel-not-vectorised"
    assert reason in finding.message and str(extents[0] * extents[1]) in finding.message
    assert text.startswith("for i in serial(0, 32):\n  for j in serial(")


def test_one_scalar_statement_does_not_hold_up_the_others() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        k.b.store(k.c, (i, j), plus(load(k.a, i, j), 1.0))
        k.b.store(k.x, (i, j), binary("%", load(k.a, i, j), 2.0))

    text, findings = k.over(body)
    assert text.startswith("Adds(c, a, 1.0)\nfor i in serial(0, 32):")
    assert len(findings) == 1


def beyond(k: Loop) -> dict[str, tuple[Any, str]]:
    """Forms that upstream's compiler leaves scalar, with a part of its reason, and our code."""

    def a(i: Any, j: Any) -> Any:
        return load(k.a, i, j)

    def b(i: Any, j: Any) -> Any:
        return load(k.x, i, j)

    def both(i: Any, j: Any) -> Any:
        return Logic(
            "and", (compare(">", a(i, j), 0.0), Logic("not", (compare("<", a(i, j), b(i, j)),)))
        )

    f32 = type_of("float32")
    tensor, scalar = "VSEL_TENSOR_TENSOR_MODE", "VSEL_TENSOR_SCALAR_MODE"
    count = "CreateVecIndex(c_tmp_0, 0.0)"
    places = "CreateVecIndex(c_tmp_0, 0)\nMuls(c_tmp_0, c_tmp_0, -4)\nAdds(c_tmp_0, c_tmp_0, 252)"
    return {
        "left of -": (lambda i, j: binary("-", 1.0, a(i, j)), "Muls(c, a, -1)\nAdds(c, c, 1.0)"),
        "left of /": (
            lambda i, j: binary("/", 2.0, a(i, j)),
            "Fill(c_tmp_0, 2.0)\nDiv(c, c_tmp_0, a)",
        ),
        "a choice": (
            lambda i, j: select(compare("<=", 0.0, a(i, j)), a(i, j), b(i, j)),
            f"CompareScalar(c_tmp_0, a, 0.0, GE)\nSelect(c, c_tmp_0, a, b, {tensor})",
        ),
        "a choice between two values": (
            lambda i, j: select(both(i, j), a(i, j), 0.5),
            "Fill(c_tmp_1, 0.5)\nCompare(c_tmp_2, a, b, LT)\n"
            f"Select(c_tmp_0, c_tmp_2, c_tmp_1, a, {tensor})\n"
            "CompareScalar(c_tmp_2, a, 0.0, GT)\n"
            f"Select(c, c_tmp_2, c_tmp_0, 0.5, {scalar})",
        ),
        "two values": (
            lambda i, j: Cast(f32, compare("!=", a(i, j), b(i, j))),
            f"Fill(c_tmp_0, 1)\nCompare(c_tmp_1, a, b, NE)\nSelect(c, c_tmp_1, c_tmp_0, 0, {scalar})",
        ),
        "a choice between": (
            lambda i, j: select(
                compare(">", plus(j, 2), plus(i, binary("*", k.cid, 8))), a(i, j), 0.0
            ),
            f"{count}\nfor i in serial(0, 32):\n"
            "  CompareScalar(c_tmp_1, c_tmp_0, T.cast(i + cid * 8 - 2, float32), GT)\n"
            f"  Select(c[i, :], c_tmp_1, a[i, :], 0.0, {scalar})",
        ),
        "used as a value": (
            lambda i, j: plus(a(i, j), j),
            f"{count}\nfor i in serial(0, 32):\n  Add(c[i, :], a[i, :], c_tmp_0)",
        ),
        "no plain loop variable": (
            lambda i, j: load(k.a, i, binary("//", j, 2)),
            "CreateVecIndex(c_tmp_1, 0)\nfor i in serial(0, 32):\n"
            "  ShiftRight(c_tmp_0, c_tmp_1, scalarValue=1)\n"
            "  Adds(c_tmp_0, c_tmp_0, i * 64)\n"
            "  Muls(c_tmp_0, c_tmp_0, 4)\n"
            "  Gather(c_tmp_2, a, c_tmp_0_uint32, src_base_addr=0)\n"
            "  copy_ub_to_ub(c_tmp_2, c[i, :])",
        ),
        "is read with the step -1": (
            lambda i, j: load(k.a, i, binary("-", 63, j)),
            f"{places}\nfor i in serial(0, 32):\n"
            "  Gather(c_tmp_1, a, c_tmp_0_uint32, src_base_addr=i * 256)\n"
            "  copy_ub_to_ub(c_tmp_1, c[i, :])",
        ),
        "between two values has": (
            lambda i, j: select(
                Logic("and", (compare("<", i, k.cid), compare(">", a(i, j), load(k.column, i)))),
                a(i, j),
                b(i, j),
            ),
            "for i in serial(0, 32):\n  if i < cid:\n"
            "    CompareScalar(c_tmp_0, a[i, :], column[i], GT)\n"
            f"    Select(c[i, :], c_tmp_0, a[i, :], b[i, :], {tensor})\n"
            "  else:\n    copy_ub_to_ub(b[i, :], c[i, :])",
        ),
    }


@pytest.mark.parametrize("reason", list(beyond(Loop())))
def test_what_only_we_vectorise_is_told_for_upstream(reason: str) -> None:
    k = Loop()
    value, want = beyond(k)[reason]
    text, (finding,) = k.over(lambda i, j: k.set(k.c, i, j)(value(i, j)))
    assert plain(text) == want
    assert finding.message.startswith("upstream's compiler makes 2048 scalar operations")
    assert reason in finding.message


@pytest.mark.parametrize("op", ["-", "/"])
def test_an_element_of_the_tile_that_is_written_is_read_at_its_turn(op: str) -> None:
    k = Loop()
    text, said = k.over(lambda i, j: k.set(k.c, i, j)(binary(op, load(k.c, 0, 0), load(k.a, i, j))))
    assert "serial" in text and "read where other elements" in said[0].message
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(binary(op, load(k.a, 0, 0), load(k.a, i, j))))
    assert "serial" not in text


def test_a_tile_that_is_shifted_within_itself_stays_scalar() -> None:
    k = Loop()
    text, (finding,) = k.over(
        lambda i, j: k.set(k.c, i, plus(j, 8))(plus(load(k.c, i, j), 1.0)), (32, 32)
    )
    assert "for j in serial" in text and "other elements of the loop write it" in finding.message
    k = Loop()
    text, findings = k.over(
        lambda i, j: k.set(k.c, i, plus(j, 32))(plus(load(k.c, i, j), 1.0)), (32, 32)
    )
    assert text == "for i in serial(0, 32):\n  Adds(c[i, 32:64], c[i, 0:32], 1.0)" and not findings


def test_what_cannot_be_written_transposed_says_so() -> None:
    k = Loop()
    turned, source = k.tile("t", (64, 32), "int8"), k.tile("s", (32, 64), "int8")
    for _ in range(2):
        k.b.blocks[0].insert(-4, k.b.blocks[0].pop())
    text, (finding,) = k.over(lambda i, j: k.set(turned, j, i)(load(source, i, j)))
    assert (
        "t is written transposed; with the loops exchanged, s is read transposed" in finding.message
    )
    assert text.startswith("for i in serial(0, 32):\n  for j in serial(")


def test_three_loops_are_refused_by_upstream() -> None:
    k = Loop()
    cube = k.tile("cube", (4, 8, 64))
    k.b.blocks[0].insert(-3, k.b.blocks[0].pop())
    _, findings = k.over(
        lambda i, j, n: k.set(cube, i, j, n)(plus(load(cube, i, j, n), 1.0)), (4, 8, 64)
    )
    assert [f.name for f in findings] == ["parallel-unsupported"]


def test_types_without_vector_arithmetic_stay_scalar() -> None:
    k = Loop("int8")
    _, (finding,) = k.over(lambda i, j: k.set(k.c, i, j)(plus(load(k.a, i, j), 1)))
    assert "int8" in finding.message


def test_elements_that_the_loop_writes_are_not_collected() -> None:
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(load(k.c, i, binary("-", 63, j))))
    assert "for j in serial" in text


def test_column_plus_row_is_lowered_but_wrong_with_upstream() -> None:
    k = Loop()
    text, findings = k.over(lambda i, j: k.set(k.c, i, j)(plus(load(k.column, i), load(k.row, j))))
    assert "Adds(c[i, :], row, column[i])" in text
    assert [f.name for f in findings] == ["parallel-unsupported"]
    for fact in ("column[i]", "row[j]", "two broadcasts"):
        assert fact in findings[0].message
    k = Loop()
    _, findings = k.over(
        lambda i, j: k.set(k.c, i, j)(binary("-", load(k.row, j), load(k.column, i)))
    )
    assert findings == []


def test_a_tile_turned_in_place_keeps_its_order() -> None:
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, j, i)(load(k.c, i, j)), (32, 32))
    assert text == "for i in serial(0, 32):\n  for j in serial(0, 32):\n    c[j, i] = c[i, j]"


def test_an_inner_loop_counts_as_often_as_it_runs() -> None:
    k = Loop()

    def body(i: Any) -> None:
        with k.b.loop("n", 64) as n:
            k.b.store(k.c, (i, n), plus(load(k.a, i, n), 1.0))

    _, (finding,) = k.over(body, (32,))
    assert "lowered to 2048 scalar operations" in finding.message
    assert "a serial loop in the body" in finding.message
