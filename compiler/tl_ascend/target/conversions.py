"""What the vector unit of A2 and A3 converts, and how it rounds then.

Sources: CANN, Cast, its table for A2 and A3; asc-devkit, `kernel_operator_vec_vconv_impl.h` of
dav_c220, which leaves the destination as it is under any other mode; the instruction TCVT of PTO,
which has the same conversions. What A5 converts is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from tl_ascend.target.dtypes import BY_NAME, DType

ROUNDINGS: Final = tuple(
    f"CAST_{name}" for name in ("NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD")
)
NONE, NEAREST, TOWARDS_ZERO, ODD = "CAST_NONE", "CAST_RINT", "CAST_TRUNC", "CAST_ODD"
PLATFORMS: Final = frozenset({"A2", "A3"})
Pair = tuple[str, str]
_PLAIN = frozenset({NONE})
_ROUNDED = frozenset(ROUNDINGS) - {NONE, ODD}
_EITHER = _ROUNDED | _PLAIN
_EVERY = frozenset(ROUNDINGS)

# What Fixpipe makes of the sums in L0C on its way to GM, without a table of scales.
OUT_OF_L0C: Final[frozenset[Pair]] = frozenset(
    {
        ("float32", "float32"),
        ("float32", "float16"),
        ("float32", "bfloat16"),
        ("int32", "int32"),
    }
)

CONVERSIONS: Final[Mapping[Pair, frozenset[str]]] = MappingProxyType(
    {
        ("int4", "float16"): _PLAIN,
        ("int8", "float16"): _PLAIN,
        ("uint8", "float16"): _PLAIN,
        ("int16", "float16"): _EITHER,
        ("int16", "float32"): _PLAIN,
        ("float16", "int4"): _EITHER,
        ("float16", "int8"): _EITHER,
        ("float16", "uint8"): _EITHER,
        ("float16", "int16"): _ROUNDED,
        ("float16", "int32"): _ROUNDED,
        ("float16", "float32"): _PLAIN,
        ("bfloat16", "int32"): _ROUNDED,
        ("bfloat16", "float32"): _PLAIN,
        ("int32", "int16"): _PLAIN,
        ("int32", "float16"): _EVERY,  # of no effect: the unit multiplies by the scale
        ("int32", "float32"): _EITHER,
        ("int32", "int64"): _PLAIN,
        ("float32", "int16"): _ROUNDED,
        ("float32", "float16"): _EVERY,
        ("float32", "bfloat16"): _ROUNDED,
        ("float32", "int32"): _ROUNDED,
        ("float32", "float32"): _ROUNDED,
        ("float32", "int64"): _ROUNDED,
        ("int64", "float32"): _ROUNDED,
        ("int64", "int32"): _PLAIN,
    }
)
SCALED: Final = ("int32", "float16")  # T.set_deq_scale says by what
# Pairs that upstream's template for copies within the UB converts with CAST_NONE; all others with RINT.
_COPIED_PLAIN = frozenset(
    {
        ("float16", "float32"),
        ("bfloat16", "float32"),
        ("int16", "float32"),
        ("int8", "float16"),
        ("int32", "int16"),
    }
)


def pair_of(source: DType, target: DType) -> Pair:
    """Names of the types as the unit sees them: a tile of bool is one of bytes."""
    names = ["uint8" if kind.name == "bool" else kind.name for kind in (source, target)]
    return names[0], names[1]


def modes(source: DType, target: DType, route: str = "ascendc") -> frozenset[str]:
    """The modes that a conversion takes; none where there is no conversion. Programs of route pto say
    CAST_RINT for CAST_NONE where something is lost, and the instruction ignores the mode elsewhere."""
    taken = CONVERSIONS.get(pair_of(source, target), frozenset())
    if route != "pto" or not taken:
        return taken
    return _EVERY if taken == _PLAIN else taken | _PLAIN


def rounding(source: DType, target: DType, mode: str) -> str:
    """How a conversion rounds: where something is lost, CAST_NONE means to the nearest."""
    return NEAREST if mode == NONE or pair_of(source, target) == SCALED else mode


def plain(source: DType, target: DType) -> bool:
    """True where a conversion has nothing to round, and CAST_NONE is its only mode."""
    return CONVERSIONS.get(pair_of(source, target)) == _PLAIN


def exact(pair: Pair) -> bool:
    """True where every value of the source is one of the target."""
    return CONVERSIONS.get(pair) == _PLAIN and BY_NAME[pair[1]].bits > BY_NAME[pair[0]].bits


def copied_upstream(source: DType, target: DType) -> bool:
    """True where upstream's template for copies asks for a mode that the conversion takes."""
    pair = pair_of(source, target)
    return (NONE if pair in _COPIED_PLAIN else NEAREST) in CONVERSIONS.get(pair, ())


def way(source: DType, target: DType) -> tuple[str, ...]:
    """The types from one to the other by conversions that exist, both included: of the shortest ways
    one on which nothing is lost before the last step, where there is one. Empty where none leads."""
    first, last = pair_of(source, target)
    found: list[tuple[str, ...]] = []
    ways: list[tuple[str, ...]] = [(first,)]
    while ways and not found:
        ways = [(*w, b) for w in ways for a, b in CONVERSIONS if a == w[-1] and b not in w]
        found = [w for w in ways if w[-1] == last]
    return max(found, key=_kept, default=())


def _kept(types: tuple[str, ...]) -> int:
    return sum(map(exact, pairwise(types[:-1])))


def as_scalars(source: DType, target: DType) -> tuple[str, ...]:
    """The way on which numbers come out as the scalar unit converts them; empty where there is none.
    Integers out of range lose bits there, and here they become the ends of the range. The scale is
    left aside."""
    whole = source.kind != "float", target.kind != "float"
    if target.kind == "bool" or (all(whole) and not _fits(source, target)):
        return ()
    if pair_of(source, target) == SCALED:
        return "int32", "float32", "float16"
    types = way(source, target)
    towards_zero = whole == (False, True)  # each step, so that no whole number is passed
    through_float = pair_of(source, target) == ("int32", "bfloat16")  # as scalars do
    right = towards_zero or through_float or all(map(exact, pairwise(types[:-1])))
    return types if right else ()


def _fits(source: DType, target: DType) -> bool:
    low, high = source.limits or (0, 1)
    least, most = target.limits or (0, 1)
    return least <= low and high <= most
