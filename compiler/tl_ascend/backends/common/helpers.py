"""Device functions that scalar expressions use, written into the programs that need them."""

from __future__ import annotations

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


def helper_text(name: str, device: str) -> tuple[str, ...]:
    """The lines of a device function that expressions use. `device`: how a route marks those."""
    lines = _BITS if name == "tl_bits" else CONVERSIONS.get(name)
    if lines is not None:
        return tuple(line.format(device=device) for line in lines)
    return (
        "template <typename T>",
        f"static {device} T {name}(T a, T b) {{",
        f"  {HELPERS[name]}",
        "}",
    )
