"""Functions of elements as vector code: an operation of the same name, or some that give it.

e ** (x ln 2) and the like are computed in float32, where they are exact to a few units of the last
place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log, prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tl_ascend.ir.expr import Binary, Call, Cast, Expr, Scalar
from tl_ascend.ir.nodes import Region
from tl_ascend.passes.vector_conversions import convert
from tl_ascend.passes.vector_index import NotVector
from tl_ascend.target.dtypes import FLOAT32, INT32

if TYPE_CHECKING:
    from tl_ascend.passes.vector_code import VectorCode

_FLOATS = frozenset({"float16", "float32"})
_WHOLE = frozenset({"int16", "int32"})
# What upstream's compiler has, too.
_PLAIN = {"exp": "exp", "log": "ln", "sqrt": "sqrt", "rsqrt": "rsqrt", "abs": "abs"}
# Operations that may not write where they read.
_APART = frozenset({"sigmoid", "sin", "cos"})
_ROUNDINGS = {
    "floor": "CAST_FLOOR",
    "ceil": "CAST_CEIL",
    "round": "CAST_ROUND",
    "trunc": "CAST_TRUNC",
    "nearbyint": "CAST_RINT",
}


def _call(name: str, x: Scalar) -> Call:
    return Call(name, (x,), FLOAT32)


def _tanh(x: Scalar) -> Scalar:
    """1 - 2 / (e ** 2x + 1), which neither overflows nor needs limits."""
    wave = Binary("+", _call("exp", Binary("*", x, 2.0)), 1.0)
    return Binary("-", 1.0, Binary("/", 2.0, wave))


_MADE: Mapping[str, Callable[[Any], Scalar]] = MappingProxyType(
    {
        "exp2": lambda x: _call("exp", Binary("*", x, log(2))),
        "exp10": lambda x: _call("exp", Binary("*", x, log(10))),
        "log2": lambda x: Binary("*", _call("log", x), 1 / log(2)),
        "log10": lambda x: Binary("*", _call("log", x), 1 / log(10)),
        "tanh": _tanh,
    }
)


def apply(code: VectorCode, value: Call, target: Region) -> None:
    """Compute a function into a tile. Errors: NotVector."""
    name, kind = value.name, target.buffer.dtype
    if name == "pow":
        power(code, value.args[0], value.args[1], target)
        return
    if name == "abs" and kind.name in _WHOLE:
        code.beyond("the vector unit has no absolute values of integers")
        code.into(Binary("max", Binary("*", value.args[0], -1), value.args[0]), target)
        return
    if name in _PLAIN:
        code.unary(_PLAIN[name], value.args[0], target)
        return
    if name not in _APART and name not in _ROUNDINGS and name not in _MADE:
        raise NotVector(f"T.{name} has no vector form here")
    if kind.name not in _FLOATS:
        raise NotVector(f"T.{name} has no vector form for {kind}")
    code.beyond(f"T.{name} has no vector form there")
    if name in _APART:
        source = _apart(code, value.args[0], target)
        code.emit(f"tile.{name}", target, source)
        code.release(source, target)
    elif name in _ROUNDINGS:
        _round(code, value, target)
    elif kind == FLOAT32:
        code.into(_MADE[name](value.args[0]), target)
    else:
        wide = code.take(FLOAT32)
        code.into(_call(name, Cast(FLOAT32, value.args[0])), wide)
        convert(code, wide, target)


def _apart(code: VectorCode, value: Scalar, target: Region) -> Region:
    """A tile with the value that is not the target."""
    source = code.operand(value, target.buffer.dtype)
    if source.buffer.uid != target.buffer.uid:
        return source
    copy = code.take(target.buffer.dtype)
    code.emit("copy", source, copy)
    return copy


def _round(code: VectorCode, value: Call, target: Region) -> None:
    """A conversion of float32 to itself rounds to whole numbers."""
    source = code.operand(value.args[0], target.buffer.dtype)
    single, count = source, prod(code.extents)
    if target.buffer.dtype != FLOAT32:
        single = code.take(FLOAT32)
        convert(code, source, single)
    result = target if target.buffer.dtype == FLOAT32 else single
    code.emit("tile.cast", result, single, _ROUNDINGS[value.name], count)
    if result is not target:
        code.emit("copy", result, target)
    code.release(single, target)


def power(code: VectorCode, base: Scalar, exponent: Scalar, target: Region) -> None:
    """A square as a product, other powers as the operation, which takes two tiles. Errors:
    NotVector."""
    kind = target.buffer.dtype
    code.beyond("a power has no vector form there")
    if not isinstance(exponent, Expr) and exponent == 2:
        source = code.operand(base, kind, target)
        code.emit("tile.mul", target, source, source)
        code.release(source, target)
        return
    whole = kind == INT32 and isinstance(exponent, int) and exponent >= 0
    if kind.name not in _FLOATS and not whole:
        raise NotVector(f"powers have no vector form for {kind}")
    sources = [_apart(code, base, target), _apart(code, exponent, target)]
    code.emit("tile.pow", target, *sources)
    for source in sources:
        code.release(source, target)
