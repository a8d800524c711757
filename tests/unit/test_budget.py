"""Budgets stop what runs away, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tl_ascend.frontend import limits
from tl_ascend.frontend.limits import TooLong
from tl_ascend.source.budget import Budget, Cancelled, OutOfBudget


def walk(budget: Budget, count: int) -> None:
    for _ in range(count):
        budget.step()


def test_steps_run_out() -> None:
    budget = Budget(steps=1000)
    walk(budget, 900)
    with pytest.raises(OutOfBudget, match="1,000 steps"):
        walk(budget, 1000)


def test_an_allowance_leaves_the_rest() -> None:
    budget = Budget(steps=10_000)
    with pytest.raises(OutOfBudget, match="500 steps"):
        with budget.allowance(500):
            walk(budget, 2000)
    walk(budget, 2000)


def test_an_allowance_is_never_more_than_what_is_left() -> None:
    budget = Budget(steps=1000)
    with pytest.raises(OutOfBudget, match="1,000 steps"):
        with budget.allowance(5000):
            walk(budget, 3000)


def test_time_runs_out() -> None:
    budget = Budget(seconds=-1.0)
    assert budget.late
    with pytest.raises(OutOfBudget, match="-1 s"):
        budget.look()


def test_cancelling_stops_at_the_next_look() -> None:
    stop: list[int] = []
    budget = Budget(cancelled=lambda: bool(stop))
    walk(budget, 1000)
    stop.append(1)
    with pytest.raises(Cancelled):
        walk(budget, 1000)


@pytest.mark.parametrize(
    ("owner", "name", "args"),
    [
        ("a", "ljust", [10**9]),
        ("a", "zfill", [10**9]),
        ("a" * 10**5, "replace", ["a", "b" * 10**5]),
        ("b" * 1000, "join", [["x" * 1000] * 1000]),
        ("{:1000000}", "format", [1]),
        ([1] * 150_000, "extend", [range(150_000)]),
    ],
)
def test_methods_that_would_build_too_much(owner: Any, name: str, args: list[Any]) -> None:
    with pytest.raises(TooLong):
        limits.check_method(owner, name, args)


@pytest.mark.parametrize(
    ("owner", "name", "args"),
    [
        ("a", "ljust", [10]),
        ("abc", "replace", ["a", "bb"]),
        (", ", "join", [["x", "y"]]),
        ("{:>10}", "format", [1]),
        ([1], "extend", [[2]]),
        ([1], "append", [2]),
    ],
)
def test_methods_as_people_use_them(owner: Any, name: str, args: list[Any]) -> None:
    limits.check_method(owner, name, args)


def test_builtins_that_would_build_too_much() -> None:
    for name, args in (("bytes", [10**12]), ("pow", [10, 10**9])):
        with pytest.raises(TooLong):
            limits.check_builtin(name, args)
    limits.check_builtin("pow", [2, 10])
    limits.check_builtin("bytes", [16])
