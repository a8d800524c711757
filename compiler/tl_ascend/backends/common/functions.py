"""Functions of scalars: written in the program where that is exact, else refused with a way out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from tl_ascend.ir.constants import number_of
from tl_ascend.ir.expr import Call, dtype_of
from tl_ascend.ops.table import TABLE
from tl_ascend.target.dtypes import BOOL, BY_NAME, FLOAT32, INT32, DType

# An expression as C++ text of a type, to stand alone.
Typed: TypeAlias = Callable[[Any, DType], str]
_CLASSES = frozenset({"isnan", "isinf", "isfinite"})
_WHOLE = frozenset({"floor", "ceil", "round", "trunc", "nearbyint"})
_BITS = frozenset({"popcount", "clz"})
# What compilers of the host know without a header.
_ON_HOST = _WHOLE | {"exp", "exp2", "log", "log2", "log10", "sqrt", "sin", "cos", "tanh"}


class Written(NamedTuple):
    """C++ text that binds like a call; what is taken off its value; its type; the functions it needs."""

    text: str
    less: int
    type: DType
    helpers: tuple[str, ...]


class Unwritten(Exception):
    """Why there is no code for a function; then what to do instead."""


def written(call: Call, typed: Typed) -> Written:
    """A function of one scalar as C++. Errors: Unwritten."""
    name, kind = call.name, dtype_of(call.args[0]) if call.args else INT32
    helper = f"tl_{name}"
    if name in _CLASSES:
        text = f"{helper}({typed(call.args[0], FLOAT32)})"
        return Written(text, 0, BOOL, (helper, "tl_bits"))
    if name in _WHOLE:
        if kind.kind != "float":
            return Written(f"({typed(call.args[0], kind)})", 0, kind, ())
        return Written(f"{helper}({typed(call.args[0], FLOAT32)})", 0, FLOAT32, (helper,))
    if name in _BITS:
        return _of_bits(call, kind, typed)
    row = TABLE.get(name)
    why = row.unwritten if row is not None else ""
    raise Unwritten(f"T.{name} of a scalar: {why or 'no route has code for it'}", *_ways_out(name))


def on_host(call: Call, typed: Typed) -> Written:
    """The same where the host computes, which lacks the device's functions. Errors: Unwritten."""
    name, kind = call.name, dtype_of(call.args[0]) if call.args else INT32
    if name not in _ON_HOST:
        raise Unwritten(f"T.{name} in a size that the host computes")
    if name in _WHOLE and kind.kind != "float":
        return Written(f"({typed(call.args[0], kind)})", 0, kind, ())
    return Written(f"__builtin_{name}f({typed(call.args[0], FLOAT32)})", 0, FLOAT32, ())


def _of_bits(call: Call, kind: DType, typed: Typed) -> Written:
    """The bits that the type of the operand has, without those that a wider one would add."""
    if kind.kind not in ("int", "uint") or kind.bits < 8:
        way = "T.reinterpret gives the bits of a number as an integer."
        raise Unwritten(f"T.{call.name} of {kind}: it counts bits of integers", way)
    (value,) = call.args
    number = number_of(value)
    if number is not None:
        value = int(number) % (1 << kind.bits)
    text = f"tl_{call.name}({typed(value, BY_NAME[f'uint{kind.bits}'])})"
    less = 64 - kind.bits if call.name == "clz" else 0
    return Written(text, less, INT32, (f"tl_{call.name}",))


def _ways_out(name: str) -> tuple[str, ...]:
    """Functions are of the vector unit."""
    tile = {"log": "ln"}.get(name, name)
    if f"tile.{tile}" in TABLE:
        return (
            f"Have T.tile.{tile} compute it for a slice of the tile, and read elements of the result.",
            "In a T.Parallel loop over a tile in the UB it becomes that operation.",
        )
    return ("Write it with functions that T.tile has, such as exp, ln, sqrt and pow.",)
