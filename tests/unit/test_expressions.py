"""Folding, affine forms and intervals agree with plain arithmetic."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tl_ascend.ir import fold
from tl_ascend.ir.affine import affine, interval, same
from tl_ascend.ir.expr import Binary, Call, Compare, Const, Expr, Logic, Select, Var, walk
from tl_ascend.target.dtypes import FLOAT32, INT32

RANGES = {"x": (0, 7), "y": (-3, 5), "z": (1, 64)}
VARS = {n: Var(n, i, "loop", low, high, INT32) for i, (n, (low, high)) in enumerate(RANGES.items())}
OPEN = Var("n", 9, "shape", 1, None, INT32)

Values = dict[str, int]
_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "min": min,
    "max": max,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True)
class Pair:
    """The same value twice: as a node and as a function of the variables."""

    node: Any
    value: Callable[[Values], Any]


def leaf() -> st.SearchStrategy[Pair]:
    numbers = st.integers(-9, 70).map(lambda k: Pair(k, lambda _: k))
    names = st.sampled_from(sorted(VARS)).map(lambda n: Pair(VARS[n], lambda e: e[n]))
    return numbers | names


def arithmetic(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    def build(op: str, a: Pair, b: Pair) -> Pair:
        apply = _PYTHON[op]
        return Pair(fold.binary(op, a.node, b.node), lambda e: apply(a.value(e), b.value(e)))

    def divide(op: str, a: Pair, k: int) -> Pair:
        return build(op, a, Pair(k, lambda _: k))

    def choose(op: str, a: Pair, b: Pair, c: Pair) -> Pair:
        apply = _PYTHON[op]
        test = fold.compare(op, a.node, b.node)
        return Pair(
            fold.select(test, b.node, c.node),
            lambda e: b.value(e) if apply(a.value(e), b.value(e)) else c.value(e),
        )

    return (
        st.builds(build, st.sampled_from(["+", "-", "*", "min", "max"]), inner, inner)
        | st.builds(divide, st.sampled_from(["//", "%"]), inner, st.integers(1, 20))
        | st.builds(
            choose, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), inner, inner, inner
        )
    )


pairs = st.recursive(leaf(), arithmetic, max_leaves=8)
values = st.fixed_dictionaries({n: st.integers(*bounds) for n, bounds in RANGES.items()})


def evaluate(node: Any, env: Values) -> Any:
    if not isinstance(node, Expr):
        return node
    if isinstance(node, Var):
        return env[node.name]
    if isinstance(node, Select):
        return evaluate(node.then if evaluate(node.condition, env) else node.other, env)
    assert isinstance(node, (Binary, Compare))
    return _PYTHON[node.op](evaluate(node.a, env), evaluate(node.b, env))


@given(pairs, values)
def test_folding_keeps_the_value(pair: Pair, env: Values) -> None:
    assert evaluate(pair.node, env) == pair.value(env)


@given(pairs, values)
def test_an_interval_holds_every_value(pair: Pair, env: Values) -> None:
    low, high = interval(pair.node)
    value = pair.value(env)
    assert low is None or low <= value
    assert high is None or value <= high


@given(pairs, values)
def test_an_affine_form_has_the_same_value(pair: Pair, env: Values) -> None:
    form = affine(pair.node)
    assert form is not None
    total = form.constant + sum(k * evaluate(a, env) for a, k in form.terms.items())
    assert total == pair.value(env)


@given(pairs, pairs, values)
def test_what_is_called_equal_is_equal(a: Pair, b: Pair, env: Values) -> None:
    decided = same(a.node, b.node)
    if decided is not None:
        assert decided == (a.value(env) == b.value(env))


@given(pairs, pairs, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), values)
def test_a_comparison_is_only_decided_where_it_holds_everywhere(
    a: Pair, b: Pair, op: str, env: Values
) -> None:
    decided = fold.compare(op, a.node, b.node)
    if isinstance(decided, bool):
        assert decided == _PYTHON[op](a.value(env), b.value(env))


@given(pairs, values)
def test_substitution_is_evaluation(pair: Pair, env: Values) -> None:
    assert fold.substitute(pair.node, {VARS[n]: v for n, v in env.items()}) == pair.value(env)


@given(pairs)
def test_nodes_are_interned_and_survive_pickling(pair: Pair) -> None:
    if isinstance(pair.node, Expr):
        assert pickle.loads(pickle.dumps(pair.node)) is pair.node


def test_equal_numbers_of_different_types_stay_apart() -> None:
    x = VARS["x"]
    assert Binary("+", x, 1) is not Binary("+", x, 1.0)
    assert Call("f", (x, 1), INT32) is not Call("f", (x, 1.0), INT32)
    assert Call("f", (x, 1), INT32) is not Call("f", (x, True), INT32)


@pytest.mark.parametrize(
    "text",
    ["(x + y) - x", "(x + y) - y", "x - x", "(x + 1) + 2", "(x - 1) + 2", "(x * 2) * 3", "x // 1"],
)
def test_what_only_holds_for_whole_numbers_is_left_alone_where_results_are_rounded(
    text: str,
) -> None:
    """A sum that corrects itself takes back what it has just added: the rest is what was lost."""

    class Number:
        def __init__(self, value: Any) -> None:
            self.value = value

        def __add__(self, other: Any) -> Number:
            return Number(fold.binary("+", self.value, getattr(other, "value", other)))

        def __sub__(self, other: Any) -> Number:
            return Number(fold.binary("-", self.value, getattr(other, "value", other)))

        def __mul__(self, other: Any) -> Number:
            return Number(fold.binary("*", self.value, other))

        def __floordiv__(self, other: Any) -> Number:
            return Number(fold.binary("//", self.value, other))

    def size(kind: Any) -> int:
        names = {n: Number(Var(n, at, "let", None, None, kind)) for at, n in enumerate("xy")}
        return sum(1 for _ in walk(eval(text, names).value))

    assert size(FLOAT32) > size(INT32)


def test_cancelled_terms_leave_exact_bounds() -> None:
    x = VARS["x"]
    start = fold.binary("*", x, 64)
    end = fold.binary("+", start, 64)
    assert interval(fold.binary("-", end, start)) == (64, 64)
    assert same(fold.binary("+", x, OPEN), fold.binary("+", OPEN, x)) is True
    assert same(fold.binary("+", OPEN, 1), OPEN) is False
    assert same(OPEN, x) is None


def test_bounds_that_grow_without_an_end_become_unknown() -> None:
    value: Any = VARS["z"]
    for _ in range(12):
        value = fold.binary("*", value, value)
    assert interval(value)[1] is None


@pytest.mark.parametrize(
    ("op", "a", "b"), [("**", 10, 10**6), ("<<", 1, 10**6), ("*", 3**2000, 3**2000)]
)
def test_numbers_that_are_not_worth_computing(op: str, a: int, b: int) -> None:
    with pytest.raises(OverflowError):
        fold.binary(op, a, b)


def test_division_by_zero_is_python_s() -> None:
    for op in ("//", "%"):
        with pytest.raises(ZeroDivisionError):
            fold.binary(op, VARS["x"], 0)


def test_logic() -> None:
    x = fold.compare("<", VARS["x"], OPEN)
    assert fold.logic("and", (True, x)) is x
    assert fold.logic("and", (False, x)) is False
    assert fold.logic("or", (x, True)) is True
    assert fold.logic("or", (False, False)) is False
    assert fold.logic("not", (x,)) is Logic("not", (x,))
    with pytest.raises(TypeError, match="truth value"):
        bool(x)


def test_ceildiv() -> None:
    assert fold.ceildiv(1000, 128) == 8
    assert fold.ceildiv(1024, 128) == 8
    assert evaluate(fold.ceildiv(VARS["z"], 16), {"z": 33}) == 3


def test_walk_visits_shared_nodes_once() -> None:
    x = VARS["x"]
    square = Binary("*", x, x)
    assert walk(Binary("+", square, square)) == [Binary("+", square, square), square, x]


def test_nodes_are_immutable() -> None:
    node = Const(1, FLOAT32)
    with pytest.raises(AttributeError, match="immutable"):
        node.value = 2  # type: ignore[misc]
