"""Conversions of tiles against arithmetic of fractions: every pair of types and every mode."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from tests.simulate.support import on_tiles

from tl_ascend.simulate.errors import EvaluationError
from tl_ascend.target.conversions import CONVERSIONS, ROUNDINGS, SCALED, as_scalars
from tl_ascend.target.dtypes import BY_NAME

NUMPY = {"bfloat16": ml_dtypes.bfloat16}
PAIRS = [pair for pair in CONVERSIONS if "int4" not in pair]
KINDS = "int8 uint8 int16 uint16 int32 uint32 int64 float16 bfloat16 float32".split()
NONE = [(a, b) for a in KINDS for b in KINDS if (a, b) not in CONVERSIONS]
WHOLE = [
    0,
    1,
    -1,
    3,
    -3,
    127,
    -128,
    255,
    2047,
    2049,
    -2051,
    32767,
    -32768,
    65503,
    2**24 + 1,
    3 - 2**31,
]
REAL = [
    0.5,
    -0.5,
    1.5,
    -2.5,
    2.75,
    -2.75,
    1 + 2**-10,
    1 + 2**-11,
    -1 - 2**-9,
    1.0009,
    130.0,
    -40000.0,
]
TO_WHOLE: dict[str, Callable[[Fraction], int]] = {
    "CAST_RINT": round,
    "CAST_FLOOR": math.floor,
    "CAST_CEIL": math.ceil,
    "CAST_TRUNC": math.trunc,
    "CAST_ROUND": lambda x: math.floor(abs(x) + Fraction(1, 2)) * (1 if x > 0 else -1),
}


def values(kind: str) -> np.ndarray:
    """Numbers that the type has."""
    numpy = np.dtype(NUMPY.get(kind, kind))
    if numpy.kind in "iu":
        low, high = np.iinfo(numpy).min, np.iinfo(numpy).max
        return np.array([low, high, *(n for n in WHOLE if low <= n <= high)], numpy)
    return np.array(REAL + WHOLE[:12], np.float32).astype(numpy)


def wanted(number: Fraction, kind: str, mode: str) -> float:
    """The number of the type that a mode gives, by comparing with the two beside it."""
    numpy = np.dtype(NUMPY.get(kind, kind))
    if numpy.kind in "iu":
        limits = np.iinfo(numpy)
        return min(max(TO_WHOLE[mode](number), int(limits.min)), int(limits.max))
    with np.errstate(over="ignore"):
        near = numpy.type(int(number) if number.denominator == 1 else float(number))
        beside = [float(np.nextafter(near, numpy.type(end))) for end in (-np.inf, np.inf)]
    if not math.isfinite(near) or Fraction(float(near)) == number:
        return float(near)
    low = max(x for x in (float(near), *beside) if x < number)
    high = min(x for x in (float(near), *beside) if x > number)
    if mode == "CAST_ROUND" and number - Fraction(low) == Fraction(high) - number:
        return high if number > 0 else low
    if mode == "CAST_TRUNC":
        return low if number > 0 else high
    if mode == "CAST_ODD":
        last = np.array(low).astype(numpy).view(f"u{numpy.itemsize}")
        return low if int(last) % 2 else high
    return {"CAST_FLOOR": low, "CAST_CEIL": high}.get(mode, float(near))


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_every_mode_gives_the_number_that_it_names(pair: tuple[str, str]) -> None:
    source, target = pair
    given = values(source)
    tile = np.resize(given, 64)
    for mode in sorted(CONVERSIONS[pair]):
        dtypes = {"x0": source, "o": target}
        call = f'T.tile.cast(o, x0, "{mode}", 64)'
        out = np.zeros(64, NUMPY.get(target, target))
        found = on_tiles(call, out, tile, dtypes=dtypes)
        as_rounded = "CAST_RINT" if mode == "CAST_NONE" or pair == SCALED else mode
        same = pair == ("float32", "float32")
        for number, got in zip(given.tolist(), found.tolist(), strict=False):
            want = TO_WHOLE[as_rounded](Fraction(number)) if same else None
            want = wanted(Fraction(number), target, as_rounded) if want is None else want
            assert float(got) == want, (mode, number)


@pytest.mark.parametrize("pair", NONE, ids="-".join)
def test_what_the_unit_does_not_convert_is_not_evaluated(pair: tuple[str, str]) -> None:
    tile, out = np.ones(64, NUMPY.get(pair[0], pair[0])), np.zeros(64, NUMPY.get(pair[1], pair[1]))
    calls = ['T.tile.cast(o, x0, "CAST_RINT", 64)']
    calls += ["T.copy(x0, o)"] if pair[0] != pair[1] else []
    for call in calls:
        with pytest.raises(EvaluationError, match="no way from"):
            on_tiles(call, out, tile, dtypes={"x0": pair[0], "o": pair[1]})


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_modes_that_the_unit_does_not_take_are_not_evaluated(pair: tuple[str, str]) -> None:
    tile, out = np.ones(64, NUMPY.get(pair[0], pair[0])), np.zeros(64, NUMPY.get(pair[1], pair[1]))
    for mode in set(ROUNDINGS) - CONVERSIONS[pair]:
        with pytest.raises(EvaluationError, match=f"with {mode}"):
            call = f'T.tile.cast(o, x0, "{mode}", 64)'
            on_tiles(call, out, tile, dtypes={"x0": pair[0], "o": pair[1]})


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_copies_convert_to_the_nearest(pair: tuple[str, str]) -> None:
    if pair[0] == pair[1]:
        return
    given = values(pair[0])
    out = np.zeros(64, NUMPY.get(pair[1], pair[1]))
    dtypes = {"x0": pair[0], "o": pair[1]}
    found = on_tiles("T.copy(x0, o)", out, np.resize(given, 64), dtypes=dtypes)
    for number, got in zip(given.tolist(), found.tolist(), strict=False):
        assert float(got) == wanted(Fraction(number), pair[1], "CAST_RINT"), number


@pytest.mark.parametrize("source", [*KINDS, "bool"])
def test_as_scalars_convert_is_as_numpy_does(source: str) -> None:
    """The steps of a way one after the other, for numbers that the last type has, too."""
    for target in KINDS:
        types = as_scalars(BY_NAME[source], BY_NAME[target])
        if len(types) < 3:
            continue
        numpy = np.dtype(NUMPY.get(target, target))
        given = values("uint8" if types[0] == "uint8" else source).astype(np.float64)
        if numpy.kind in "iu":
            fits = (given >= np.iinfo(numpy).min) & (given <= np.iinfo(numpy).max)
            given = given[fits]
        made = np.resize(given, 64).astype(NUMPY.get(types[0], types[0]))
        want = np.resize(given, 64)
        with np.errstate(over="ignore"):
            want = np.trunc(want).astype(numpy) if numpy.kind in "iu" else want.astype(numpy)
        for name, step in zip(types[:-1], types[1:], strict=True):
            whole = numpy.kind in "iu" and "float" in source
            mode = "CAST_TRUNC" if whole and "CAST_TRUNC" in CONVERSIONS[name, step] else ""
            call = f'T.tile.cast(o, x0, "{mode}", 64)' if mode else "T.copy(x0, o)"
            out = np.zeros(64, NUMPY.get(step, step))
            made = on_tiles(call, out, made, dtypes={"x0": name, "o": step})
        np.testing.assert_array_equal(made.astype(np.float64), want.astype(np.float64), f"{types}")
