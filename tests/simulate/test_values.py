"""Scalar functions, on numbers and inside of loops over arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.simulate.support import on_tiles

from tl_ascend.simulate.registry import VALUES
from tl_ascend.target.dtypes import BY_NAME

X = np.array([0.25, 0.5, 0.75, 0.9, 0.1, 0.6, 0.3, 0.45], np.float32)
FUNCTIONS = {
    "exp": math.exp,
    "exp2": lambda x: 2**x,
    "exp10": lambda x: 10**x,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "log1p": math.log1p,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: x**-0.5,
    "abs": abs,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "erf": math.erf,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda x: math.floor(x + 0.5),
    "trunc": math.trunc,
    "nearbyint": round,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_elements(name: str) -> None:
    want = [FUNCTIONS[name](float(x)) for x in X]
    zero = np.zeros(8, np.float32)
    many = on_tiles(f"for i in T.Parallel(8):\n    o[i] = T.{name}(x0[i])", zero, X)
    np.testing.assert_allclose(many, want, rtol=1e-6)
    one = on_tiles(f"for i in T.serial(8):\n    o[i] = T.{name}(x0[i])", zero, X)
    np.testing.assert_allclose(one, want, rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("T.pow(x0[i], 2.0)", 0.25**2),
        ("T.min(x0[i], 0.1)", 0.1),
        ("T.max(x0[i], 0.5)", 0.5),
        ("T.clamp(x0[i], 0.3, 0.4)", 0.3),
        ("T.if_then_else(x0[i] > 0.2, 3.0, 4.0)", 3),
        ("T.Select(T.And(x0[i] > 0.2, T.Not(x0[i] > 0.3)), 3.0, 4.0)", 3),
        ("T.Select(T.Or(x0[i] > 0.3, x0[i] > 0.5), 3.0, 4.0)", 4),
        ("T.cast(x0[i] * 8.0, 'int32') + 0.5", 2.5),
        ("T.Cast('int32', x0[i] * 11.0) + 0.5", 2.5),
        ("T.int32(x0[i] * 11.0) // 2", 1),
        ("T.float16(x0[i]) * 2", 0.5),
        ("T.ceildiv(i + 5, 3)", 2),
        ("T.floordiv(i - 5, 3)", -2),
        ("T.floormod(i - 5, 3)", 1),
        *((f"T.truncdiv(i + {a}, {b})", int(a / b)) for a in (-7, 7) for b in (-2, 2, 3)),
        *((f"T.truncmod(i + {a}, {b})", a - b * int(a / b)) for a in (-7, 7) for b in (-2, 3)),
        ("T.truncdiv(T.int32(x0[i] * 28.0) - 14, 2 * i - 3)", 2),
        ("T.shift_left(i + 3, 2)", 12),
        ("T.shift_right(i + 12, 2)", 3),
        ("T.bitwise_and(i + 12, 10)", 8),
        ("T.bitwise_or(i + 12, 10)", 14),
        ("T.bitwise_xor(T.int32(x0[i] * 48.0), 10)", 6),
        ("T.bitwise_not(i + 12)", -13),
        ("T.if_then_else(T.likely(x0[i] > 0.2), 3.0, 4.0)", 3),
        ("T.atan2(x0[i], 0.25)", math.pi / 4),
        ("T.copysign(x0[i], -1.0)", -0.25),
        ("T.fmod(x0[i] - 1.0, 0.5)", -0.25),
        ("T.hypot(x0[i] * 12.0, 4.0)", 5),
        ("T.ldexp(x0[i], 3)", 2),
        ("T.nextafter(x0[i], 1.0)", 0.25 + 2**-26),
        ("T.max_value('float16')", 65504),
        ("T.max(-T.infinity('float32'), 1.0)", 1),
        ("T.min_value('int8')", -128),
    ],
)
def test_values(text: str, want: float) -> None:
    for loop in ("T.serial", "T.Parallel"):
        call = f"for i in {loop}(8):\n    o[i] = {text}"
        found = on_tiles(call, np.zeros(8, np.float32), X)
        assert found[0] == pytest.approx(want, rel=1e-6), loop


FLOAT, INT = BY_NAME["float32"], BY_NAME["int32"]


@pytest.mark.parametrize(
    ("name", "arguments", "want"),
    [
        ("truncdiv", (-7, 2), -3),
        ("truncmod", (-7, 2), -1),
        ("popcount", ("int32", -1), 32),
        ("popcount", ("int8", -1), 8),
        ("clz", ("uint64", 1), 63),
        ("clz", ("int", 1), 31),
        ("isnan", (math.nan,), True),
        ("isinf", (-math.inf,), True),
        ("isfinite", (1.0,), True),
        ("reinterpret", ("float32", 1.0), 0x3F800000),
        ("reinterpret", ("float", 1.0), 0x3F800000),
        ("reinterpret", ("uint32", 0xBF800000), -0x40800000),
        ("ceildiv", (7, 2), 4),
        *(
            ("u" * unsigned + f"int{bits}", (-1,), 2**bits - 1 if unsigned else -1)
            for bits in (8, 16, 32, 64)
            for unsigned in (False, True)
        ),
        *(
            (f"float{bits}", (0.1,), float(np.dtype(f"f{bits // 8}").type(0.1)))
            for bits in (16, 32, 64)
        ),
        ("bool", (2,), True),
        ("bfloat16", (1 + 2**-8,), 1),
    ],
)
def test_values_that_rarely_reach_a_device(
    name: str, arguments: tuple[object, ...], want: object
) -> None:
    assert VALUES[name](INT, *arguments) == want


@pytest.mark.parametrize(
    ("target", "source", "number", "want"),
    [
        ("float32", "uint32", 0xBF800000, -1.0),
        ("float32", "int32", -0x40800000, -1.0),
        ("int16", "bfloat16", 1.0, 0x3F80),
        ("int16", "float16", 1.0, 0x3C00),
        ("bfloat16", "int", 0x3F80, 1.0),
    ],
)
def test_bits_of_numbers_and_of_many(target: str, source: str, number: float, want: float) -> None:
    apply, kind = VALUES["reinterpret"], BY_NAME[target]
    assert apply(kind, source, number) == want
    many = np.asarray([number, number], np.float32 if source.startswith(("f", "b")) else np.int64)
    np.testing.assert_array_equal(apply(kind, source, many), [want, want])


def test_swizzled_blocks_are_all_blocks_in_bands() -> None:
    walk = [VALUES["use_swizzle"](INT, at, 96, 64, 32, 16, 16, 2, 0) for at in range(24)]
    assert sorted(walk) == list(range(24))
    assert walk[:4] == [0, 4, 1, 5]  # down two rows, then to the right
    assert walk[8:10] == [11, 15]  # the next band comes back


def test_division_by_zero_is_told() -> None:
    from tl_ascend import simulate

    call = "for i in T.serial(8):\n    o[i] = (i + 1) // i"
    with pytest.raises(simulate.EvaluationError, match="division by zero"):
        on_tiles(call, np.zeros(8, np.float32), X)
