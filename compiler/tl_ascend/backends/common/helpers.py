"""Device functions that scalar expressions use, written into the programs that need them."""

from __future__ import annotations

from tl_ascend.target.dtypes import INT32, DType

HELPERS = {
    "tl_min": "return a < b ? a : b;",
    "tl_max": "return a > b ? a : b;",
    "tl_floordiv": "return a / b - (a % b != 0 && (a < 0) != (b < 0));",
    "tl_floormod": "return (a % b + b) % b;",
}


# A union is what the vendor's own conversions of scalars use.
_BITS = (
    "template <typename To, typename From>",
    "static {device} To tl_bits(From value) {{",
    "  union {{",
    "    From from;",
    "    To to;",
    "  }} bits;",
    "  bits.from = value;",
    "  return bits.to;",
    "}}",
)


# The upper half of a float; to the nearest, ties to even.
CONVERSIONS = {
    "tl_to_float": (
        "static {device} float tl_to_float(bfloat16_t value) {{",
        "  return tl_bits<float>(static_cast<uint32_t>(tl_bits<uint16_t>(value)) << 16);",
        "}}",
    ),
    "tl_to_bfloat16": (
        "static {device} bfloat16_t tl_to_bfloat16(float value) {{",
        "  const uint32_t bits = tl_bits<uint32_t>(value);",
        "  const bool number = (bits & 0x7fffffff) <= 0x7f800000;",
        "  const uint32_t high = number ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : bits >> 16 | 0x40;",
        "  return tl_bits<bfloat16_t>(static_cast<uint16_t>(high));",
        "}}",
    ),
}


def _function(result: str, name: str, argument: str, *body: str) -> tuple[str, ...]:
    head = f"static {{device}} {result} {name}({argument} value) {{{{"
    return (head, *(f"  {line}" for line in body), "}}")


# What has no fraction is whole already; the sign of a zero is that of the operand.
def _whole(name: str, *body: str) -> tuple[str, ...]:
    return _function(
        "float",
        name,
        "float",
        "if (!(value > -8388608.0f && value < 8388608.0f)) {{",
        "  return value;",
        "}}",
        "const float whole = static_cast<float>(static_cast<int32_t>(value));",
        *body,
        "return found != 0.0f ? found : value * 0.0f;",
    )


_REST = "const float rest = value - whole;"
_SIZE = "(tl_bits<uint32_t>(value) & 0x7fffffff)"  # of a float, as a number that grows with it
FUNCTIONS = {
    "tl_isnan": _function("bool", "tl_isnan", "float", f"return {_SIZE} > 0x7f800000;"),
    "tl_isinf": _function("bool", "tl_isinf", "float", f"return {_SIZE} == 0x7f800000;"),
    "tl_isfinite": _function("bool", "tl_isfinite", "float", f"return {_SIZE} < 0x7f800000;"),
    "tl_trunc": _whole("tl_trunc", "const float found = whole;"),
    "tl_floor": _whole("tl_floor", "const float found = whole > value ? whole - 1.0f : whole;"),
    "tl_ceil": _whole("tl_ceil", "const float found = whole < value ? whole + 1.0f : whole;"),
    "tl_round": _whole(
        "tl_round",
        _REST,
        "const float more = rest >= 0.5f ? 1.0f : rest <= -0.5f ? -1.0f : 0.0f;",
        "const float found = whole + more;",
    ),
    "tl_nearbyint": _whole(
        "tl_nearbyint",
        _REST,
        "const bool odd = (static_cast<int32_t>(value) & 1) != 0;",
        "const bool up = rest > 0.5f || (rest == 0.5f && odd);",
        "const bool down = rest < -0.5f || (rest == -0.5f && odd);",
        "const float found = up ? whole + 1.0f : down ? whole - 1.0f : whole;",
    ),
    # What C++ leaves open beyond the range; a number that is none is 0.
    "tl_saturated": (
        "template <typename T, int64_t low, int64_t high>",
        "static {device} T tl_saturated(float value) {{",
        "  if (value > static_cast<float>(low)) {{",
        "    return value < static_cast<float>(high) ? static_cast<T>(value) : static_cast<T>(high);",
        "  }}",
        "  return value <= static_cast<float>(low) ? static_cast<T>(low) : static_cast<T>(0);",
        "}}",
    ),
    "tl_popcount": _function(
        "int32_t",
        "tl_popcount",
        "uint64_t",
        "value -= (value >> 1) & 0x5555555555555555;",
        "value = (value & 0x3333333333333333) + ((value >> 2) & 0x3333333333333333);",
        "value = (value + (value >> 4)) & 0x0f0f0f0f0f0f0f0f;",
        "return static_cast<int32_t>((value * 0x0101010101010101) >> 56);",
    ),
    "tl_clz": _function(
        "int32_t",
        "tl_clz",
        "uint64_t",
        "int32_t zeros = 64;",
        "for (int32_t step = 32; step > 0; step /= 2) {{",
        "  if ((value >> step) != 0) {{",
        "    value >>= step;",
        "    zeros -= step;",
        "  }}",
        "}}",
        "return zeros - static_cast<int32_t>(value);",
    ),
}


# None of them may be a variable's.
NAMES = frozenset({*HELPERS, *CONVERSIONS, *FUNCTIONS, "tl_bits"})


def leaves_open(type: DType) -> bool:
    """Integers that C++ does not make of every float that the scalar unit makes an int32 of."""
    return type.kind in ("int", "uint") and type.bits <= INT32.bits and type != INT32


def saturated(type: DType) -> str:
    """The function that makes such an integer of a float: beyond the range one of its ends."""
    low, high = type.limits or (0, 0)
    return f"tl_saturated<{type.c_name}, {low}, {high}>"


def helper_text(name: str, device: str) -> tuple[str, ...]:
    """The lines of a device function that expressions use. `device`: how a route marks those."""
    lines = _BITS if name == "tl_bits" else {**CONVERSIONS, **FUNCTIONS}.get(name)
    if lines is not None:
        return tuple(line.format(device=device) for line in lines)
    return (
        "template <typename T>",
        f"static {device} T {name}(T a, T b) {{",
        f"  {HELPERS[name]}",
        "}",
    )
