"""What a T.Parallel loop computes of the number of a row, of a loop variable or of conditions."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passes.kernels import plus, times
from tests.passes.parallel_loops import Loop, plain

from tl_ascend.ir.build import load, type_of
from tl_ascend.ir.expr import Call, Cast, Select
from tl_ascend.ir.fold import binary, compare

F32 = type_of("float32")
TAKES = "for i in serial(0, 32):\n  Muls(c[i, :], a[i, :], row_tmp_0[i])"


def over(value: Any, kind: str = "float32") -> str:
    """The code for `c[i, j] = value(tiles, i, j)`."""
    k = Loop(kind)
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(value(k, i, j)))
    return plain(text)


def call(name: str, value: Any, kind: str = "float32") -> Any:
    return Call(name, (value,), type_of(kind))


@pytest.mark.parametrize("name", ["exp", "sqrt", "rsqrt", "log", "tanh", "sigmoid"])
@pytest.mark.parametrize("kind", ["float16", "float32"])
def test_a_function_of_a_row_is_computed_for_all_rows(name: str, kind: str) -> None:
    text = over(lambda k, i, j: times(load(k.a, i, j), call(name, load(k.column, i), kind)), kind)
    assert text.endswith(TAKES)
    assert f"T.{name}" not in text


def test_all_that_is_the_same_for_a_row_is() -> None:
    text = over(
        lambda k, i, j: times(
            load(k.a, i, j),
            call("rsqrt", plus(times(load(k.column, i), load(k.column, i)), 1e-5)),
        )
    )
    begin = "Mul(row_tmp_0, column, column)\nAdds(row_tmp_0, row_tmp_0, 1e-05)\n"
    assert text == f"{begin}Rsqrt(row_tmp_0, row_tmp_0)\n{TAKES}"


def test_powers_that_scalars_have_none_of_are() -> None:
    half = over(lambda k, i, j: times(load(k.a, i, j), binary("**", load(k.column, i), 0.5)))
    assert half.endswith(TAKES)
    square = over(lambda k, i, j: times(load(k.a, i, j), binary("**", load(k.column, i), 2)))
    assert "row_tmp" not in square


def test_what_scalar_code_has_stays_there() -> None:
    text = over(lambda k, i, j: times(load(k.a, i, j), call("abs", load(k.column, i))))
    assert "row_tmp" not in text


def test_what_the_loops_write_is_not_read_before_them() -> None:
    k = Loop()
    text, _ = k.over(
        lambda i, j: k.set(k.c, i, j)(times(load(k.a, i, j), call("exp", load(k.c, i, 0))))
    )
    assert "row_tmp" not in text


def test_what_may_lie_outside_is_not_read_before_the_loops() -> None:
    k = Loop()
    text, _ = k.over(
        lambda i, j: k.set(k.c, i, j)(
            times(load(k.a, i, j), call("exp", load(k.column, plus(i, 1))))
        )
    )
    assert "row_tmp" not in text


def test_a_loop_variable_is_converted() -> None:
    text = over(lambda k, i, j: plus(load(k.a, i, j), Cast(F32, j)))
    assert "CreateVecIndex" in text
    assert "Add(c[i, :], a[i, :], c_tmp_" in text


@pytest.mark.parametrize("op", ["%", "//"])
def test_whole_numbers_in_turns_are_compared(op: str) -> None:
    def value(k: Loop, i: Any, j: Any) -> Any:
        return Select(compare("==", binary(op, j, 2), 0), load(k.a, i, j), load(k.x, i, j))

    text = over(value)
    assert "ShiftRight" in text
    assert "CompareScalar" in text


def test_a_remainder_of_a_power_of_two_is_what_a_shift_leaves() -> None:
    text = over(lambda k, i, j: binary("%", load(k.a, i, j), 16), "int32")
    assert text == (
        "ShiftRight(c_tmp_0, a, scalarValue=4)\nShiftLeft(c_tmp_0, c_tmp_0, scalarValue=4)\n"
        "Sub(c, a, c_tmp_0)"
    )
    other = over(lambda k, i, j: binary("%", load(k.a, i, j), 12), "int32")
    assert "ShiftRight" not in other


@pytest.mark.parametrize("op", ["&", "|"])
def test_conditions_are_joined_by_the_operations_of_bits_too(op: str) -> None:
    def value(k: Loop, i: Any, j: Any) -> Any:
        one, two = compare("<=", j, i), compare(">", load(k.a, i, j), 0.0)
        return Select(binary(op, one, two), load(k.a, i, j), 0.0)

    text = over(value)
    assert text.count("Select(") == 2


@pytest.mark.parametrize("op", ["&", "|"])
def test_what_the_row_says_of_them_makes_a_branch(op: str) -> None:
    def value(k: Loop, i: Any, j: Any) -> Any:
        one, two = compare("<=", j, i), compare(">", load(k.column, i), 0.0)
        return Select(binary(op, one, two), load(k.a, i, j), 0.0)

    text = over(value)
    assert "if column[i] > 0.0:" in text
    assert text.count("Select(") == 1
