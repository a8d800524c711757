"""Expressions mean in C++ what they mean in Python: floor division, precedence, width."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.emit import support

from tl_ascend.backends.common.constants import literal
from tl_ascend.backends.common.expressions import Expressions
from tl_ascend.backends.common.helpers import helper_text
from tl_ascend.backends.common.names import Names
from tl_ascend.backends.common.rules import Refusal
from tl_ascend.ir import fold
from tl_ascend.ir.constants import number_of
from tl_ascend.ir.expr import Binary, Call, Cast, Compare, Expr, Logic, Select, Var
from tl_ascend.source.span import Home, Span
from tl_ascend.target.dtypes import BY_NAME, INT32, INT64, DType

# Name, C++ type, least and greatest value: the bounds that an expression may rely on.
VARS = (
    (Var("i", 1, "loop", 0, 30, INT32), INT32, 0, 30),
    (Var("j", 2, "loop", -7, 9, INT32), INT32, -7, 9),
    (Var("free", 3, "let", None, None, INT32), INT32, -3000, 3000),
    (Var("block", 4, "block", 0, 63, INT32), INT64, 0, 63),
    (Var("size", 5, "shape", 1, None, INT32), INT64, 1, 5000),
)
BY_VAR: dict[Any, tuple[DType, int, int]] = {v: (t, low, high) for v, t, low, high in VARS}
LIMIT = 2**40


def _binary(op: str, a: Any, b: Any) -> Any:
    try:
        return fold.binary(op, a, b)
    except (ZeroDivisionError, OverflowError, ValueError):
        return a


def _grow(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    arithmetic = st.builds(
        _binary, st.sampled_from(["+", "-", "*", "//", "%", "min", "max"]), inner, inner
    )
    divided = st.builds(
        _binary, st.sampled_from(["//", "%"]), inner, st.sampled_from([1, 2, 3, 8, 16, 7, 128])
    )
    bits = st.builds(_binary, st.sampled_from(["&", "|", "^"]), inner, inner)
    shifted = st.builds(_binary, st.sampled_from(["<<", ">>"]), inner, st.integers(0, 5))
    compared = st.builds(
        fold.compare, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), inner, inner
    )
    either = st.builds(
        lambda op, a, b: fold.logic(op, (a, b)), st.sampled_from(["and", "or"]), compared, compared
    )
    chosen = st.builds(fold.select, st.one_of(compared, either), inner, inner)
    cast = st.builds(lambda v: Cast(INT64, v) if isinstance(v, Expr) else v, inner)
    return st.one_of(arithmetic, divided, bits, shifted, chosen, cast)


_LEAVES = st.one_of(st.sampled_from([v[0] for v in VARS]), st.integers(-9, 70))
TREES = st.recursive(_LEAVES, _grow, max_leaves=12).filter(lambda e: isinstance(e, Expr))


def evaluate(node: Any, values: dict[Any, int]) -> int:
    """Python's meaning. Errors: ZeroDivisionError, OverflowError where 2**40 is passed."""
    if not isinstance(node, Expr):
        return int(node)
    if isinstance(node, Var):
        return values[node]
    if isinstance(node, Cast):
        return evaluate(node.value, values)
    if isinstance(node, Select):
        chosen = node.then if evaluate(node.condition, values) else node.other
        return evaluate(chosen, values)
    if isinstance(node, Logic):
        truths = [bool(evaluate(v, values)) for v in node.operands]
        return int(all(truths) if node.op == "and" else any(truths))
    a, b = evaluate(node.a, values), evaluate(node.b, values)
    if isinstance(node, Compare):
        return int(fold.compare(node.op, a, b))  # type: ignore[arg-type]
    assert isinstance(node, Binary)
    found = int(fold.binary(node.op, a, b))  # type: ignore[arg-type]
    if abs(found) > LIMIT:
        raise OverflowError
    return found


def bound_names() -> Names:
    names = Names()
    for var, type, _, _ in VARS:
        names.bind(var, type)
    return names


def writer(host: bool = False) -> Expressions:
    def load(_: Any) -> str:
        raise AssertionError

    place = Span(Home("case.py", "x"), 0)
    return Expressions(bound_names(), load, lambda call: None, host=host, at=place)


CASES = st.lists(
    st.tuples(
        TREES,
        st.lists(st.tuples(*(st.integers(v[2], v[3]) for v in VARS)), min_size=2, max_size=4),
    ),
    min_size=40,
    max_size=60,
)


def program(cases: list[tuple[Any, list[tuple[int, ...]]]]) -> tuple[str, list[str], list[int]]:
    """A program that prints the value of each expression under each assignment; the expressions;
    and what it must print."""
    device, host = writer(), writer(host=True)
    body, texts, wanted = [], [], []
    for tree, assignments in cases:
        sides = [device.index(tree), host.index(tree)]
        for assignment in assignments:
            values = dict(zip(BY_VAR, assignment, strict=True))
            try:
                value = evaluate(tree, values)
            except (ZeroDivisionError, OverflowError, ValueError):
                continue
            numbers = ", ".join(map(str, assignment))
            for text in sides:
                call = "[](int32_t i, int32_t j, int32_t free, int64_t block, int64_t size) "
                call += (
                    f"{{ (void)i, (void)j, (void)free, (void)block, (void)size; return {text}; }}"
                )
                body.append(f"  show({call}({numbers}));")
                texts.append(f"{text} of {numbers}")
                wanted.append(value)
    lines = ["#include <cstdint>", "#include <cstdio>", "#define __aicore__"]
    for name in sorted(device.helpers):
        lines += helper_text(name, "__aicore__ inline")
    lines += ['static void show(long long value) { std::printf("%lld\\n", value); }']
    return "\n".join([*lines, "int main() {", *body, "}"]) + "\n", texts, wanted


@pytest.mark.skipif(not support.GXX, reason="needs g++")
@settings(
    max_examples=2,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(cases=CASES)
def test_expressions_mean_the_same(cases: Any, tmp_path_factory: Any) -> None:
    folder: Path = tmp_path_factory.mktemp("expressions")
    text, texts, wanted = program(cases)
    source, built = folder / "all.cpp", folder / "all"
    source.write_text(text)
    flags = ["-std=c++17", "-fsanitize=signed-integer-overflow", "-fno-sanitize-recover"]
    warnings = ["-Wall", "-Werror=parentheses", "-Wno-unused-value"]
    result = subprocess.run(
        [support.GXX, *flags, *warnings, source, "-o", built], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    ran = subprocess.run([built], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    found = list(map(int, ran.stdout.split()))
    wrong = [
        f"{text}: {a}, not {b}" for text, a, b in zip(texts, found, wanted, strict=True) if a != b
    ]
    assert not wrong, "\n".join(wrong[:5])


def text_of(value: Any, host: bool = False) -> str:
    return writer(host).index(value)


def test_division_is_plain_where_nothing_is_negative() -> None:
    i, j, free, block, size = (v[0] for v in VARS)
    assert text_of(fold.binary("//", i, 4)) == "i / 4"
    assert text_of(fold.binary("%", block, size)) == "block % size"
    assert text_of(fold.binary("//", j, 4)) == "j >> 2"
    assert text_of(fold.binary("%", j, 4)) == "j & 3"
    assert text_of(fold.binary("//", free, 3)) == "tl_floordiv<int32_t>(free, 3)"
    assert "?" not in text_of(fold.binary("%", j, 3), host=True)


def test_wide_products_are_computed_in_64_bits() -> None:
    i, j, free, block, size = (v[0] for v in VARS)
    assert text_of(fold.binary("*", i, 1000)) == "i * 1000"
    assert text_of(fold.binary("*", i, 10**8)) == "(int64_t)i * 100000000"
    assert text_of(fold.binary("*", free, 2)) == "(int64_t)free * 2"
    assert text_of(fold.binary("*", block, 10**8)) == "block * 100000000"


@pytest.mark.parametrize(
    ("value", "type", "text"),
    [
        (1, "float32", "1.0f"),
        (0.1, "float32", "0.1f"),
        (float("-inf"), "float32", "-CUDART_INF_F"),
        (float("inf"), "float16", "half(CUDART_INF_F)"),
        (float("nan"), "float32", "CUDART_NAN_F"),
        (1e300, "float32", "CUDART_INF_F"),
        (2, "bfloat16", "bfloat16_t(2.0f)"),
        (7, "int32", "7"),
        (7.0, "int32", "7"),
        (7, "int16", "int16_t(7)"),
        (-(2**31), "int32", "(-2147483647 - 1)"),
        (3 * 10**9, "int64", "3000000000"),
        (2**64 - 1, "uint64", "18446744073709551615ULL"),
        (True, "bool", "true"),
    ],
)
def test_literals(value: Any, type: str, text: str) -> None:
    assert literal(value, BY_NAME[type]).text == text


def test_constants_of_types_are_numbers() -> None:
    half = BY_NAME["float16"]
    infinity = Call("infinity", (), half)
    assert number_of(Binary("*", infinity, -1)) == float("-inf")
    assert number_of(Call("max_value", (), half)) == 65504.0
    assert number_of(Call("min_value", (), BY_NAME["int8"])) == -128
    assert number_of(Cast(BY_NAME["int8"], 200)) == -56
    assert number_of(VARS[0][0]) is None


def test_what_the_scalar_unit_cannot_do_is_refused() -> None:
    free = VARS[2][0]
    for value in (Call("exp", (free,), BY_NAME["float32"]), Binary("**", free, free)):
        with pytest.raises(Refusal):
            text_of(value)


def test_a_huge_expression_is_refused() -> None:
    value: Any = VARS[2][0]
    for _ in range(30):
        value = Binary("+", value, Binary("*", value, value))
    with pytest.raises(Refusal, match="characters"):
        text_of(value)
