"""What is known of expressions that repeat, against plain arithmetic."""

from __future__ import annotations

import random

from tl_ascend.ir.expr import Scalar, Var
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.periodic import apart, cycle_of, in_turns, shifted, values_of
from tl_ascend.target.dtypes import INT32

K = Var("k", 1, "loop", 0, 40, INT32)
FEW = Var("j", 2, "loop", 0, 2, INT32)


def wave(rng: random.Random, var: Var = K) -> Scalar:
    inner = binary("+", binary("*", var, rng.randint(1, 3)), rng.randint(-3, 5))
    inner = binary("//", inner, rng.choice([1, 1, 2]))
    turn = rng.choice([2, 3, 4])
    one = binary("&", inner, turn // 2 * 2 - 1) if rng.random() < 0.3 else binary("%", inner, turn)
    return binary("+", binary("*", one, rng.choice([1, 8, -1])), rng.randint(0, 3))


def test_apart_is_never_wrong_and_decides_waves_of_one_base() -> None:
    rng, decided = random.Random(1), 0
    for _ in range(400):
        a, b, m, n = wave(rng), wave(rng), rng.randint(1, 3), rng.randint(1, 3)
        pairs = [(substitute(a, {K: k}), substitute(b, {K: k})) for k in range(40)]
        truth = all(x + m <= y or y + n <= x for x, y in pairs)
        found = apart(a, m, b, n)
        assert truth or not found, (a, b, m, n)
        decided += found
    assert decided > 50


def test_shifted_is_the_value_one_step_away() -> None:
    rng = random.Random(2)
    for _ in range(200):
        value = wave(rng)
        if isinstance(value, int):
            continue
        before = shifted(value, K, -1)
        assert before is not None
        for k in range(1, 40):
            assert substitute(before, {K: k}) == substitute(value, {K: k - 1})


def test_a_remainder_of_a_remainder_is_a_wave_where_one_divides_the_other() -> None:
    for outer, inner, ahead in ((2, 2, 1), (3, 3, 2), (2, 4, 3), (4, 3, 2)):
        slot = binary("%", K, inner)
        value = binary("%", binary("+", slot, ahead), outer)
        before = shifted(value, K, -1)
        assert (before is not None) is (inner % outer == 0)
        for k in range(1, 40) if before is not None else ():
            assert substitute(before, {K: k}) == substitute(value, {K: k - 1})


def test_steps_lead_back_to_equal_expressions() -> None:
    value = binary("%", binary("+", K, 1), 3)
    for _ in range(3):
        value = shifted(value, K, -1)  # type: ignore[assignment]
    assert value is binary("%", binary("+", K, 1), 3)


def test_outside_of_waves_nothing_is_shifted() -> None:
    assert shifted(binary("+", binary("%", K, 2), K), K, -1) is None


def test_a_place_of_few_iterations_in_the_one_before() -> None:
    before = in_turns(binary("+", binary("*", FEW, 64), 8), FEW, 3)
    assert [substitute(before, {FEW: j}) for j in (1, 2)] == [8, 72]


def test_a_number_is_the_turn_of_the_iteration_that_comes() -> None:
    rng = random.Random(3)
    for _ in range(200):
        first, factor = rng.randint(0, 5), rng.choice([1, 64])
        turn = binary("%", binary("+", K, rng.randint(0, 4)), 3)
        cycle = cycle_of(binary("*", turn, factor), K, None)
        assert cycle is not None
        for place in range(3):
            found = cycle.first(place * factor, K, first)
            assert substitute(found, {K: first}) == place * factor
        assert cycle.first(3 * factor, K, first) == 3 * factor


def test_all_values() -> None:
    assert values_of(binary("+", binary("*", binary("%", K, 2), 2), 1), 7) == {1, 3}
    assert values_of(binary("%", K, 8), 7) == set(range(8))
    assert values_of(K, 7) == set(range(8))
    assert values_of(10, 7) == set()
    assert values_of(FEW, 7) == {0, 1, 2}


def test_a_count_through_rows_of_unknown_length_is_a_wave_of_row_and_column() -> None:
    row, length = Var("i", 3, "loop", 0, None, INT32), Var("n", 4, "shape", 1, None, INT32)
    last = binary("+", binary("*", row, length), binary("-", length, 1))
    value = binary("%", binary("+", last, 2), 3)
    before = shifted(value, row, -1)
    assert before is binary("%", binary("+", binary("*", row, length), 1), 3)
    assert before is not None
    for i in range(1, 5):
        for n in range(1, 6):
            then = substitute(value, {row: i - 1, length: n})
            assert substitute(before, {row: i, length: n}) == then
