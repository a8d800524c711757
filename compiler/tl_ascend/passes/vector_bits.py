"""Operations on bits as vector code: two tiles, or a shift by a scalar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.ir.expr import Binary, Expr, Scalar
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.text import show
from tl_ascend.passes.vector_choice import tile_of
from tl_ascend.passes.vector_index import NotVector
from tl_ascend.passes.vector_tiles import free_for, require

if TYPE_CHECKING:
    from tl_ascend.passes.vector_code import VectorCode

_PAIRS = {"&": "bitwise_and", "|": "bitwise_or"}
_SHIFTS = {"<<": "bitwise_lshift", ">>": "bitwise_rshift"}
BITWISE = frozenset({*_PAIRS, *_SHIFTS, "^"})
_WORDS = frozenset({"int16", "uint16"})
_SHIFTED = frozenset({"int16", "uint16", "int32", "uint32"})


def apply_bits(code: VectorCode, value: Binary, target: Region) -> None:
    """Compute one operation into a tile; `x ^ -1` is `~x`. Errors: NotVector."""
    kind = target.buffer.dtype
    if value.op == "^" and not isinstance(value.b, Expr) and value.b == -1:
        code.unary("bitwise_not", value.a, target, _WORDS)
    elif value.op in _SHIFTS and not code.varies(value.b):
        require(kind, _SHIFTED)
        room = target if free_for(target, value.b) else None
        a = code.operand(value.a, kind, room)
        code.emit(f"tile.{_SHIFTS[value.op]}", target, a, value.b)
        code.release(a, target)
    elif value.op in _PAIRS:
        require(kind, _WORDS)
        _pair(code, value, target)
    else:
        raise NotVector(f"no vector operation for {show(value)}")


def _pair(code: VectorCode, value: Binary, target: Region) -> None:
    """Of two tiles; a scalar is written into one."""
    kind = target.buffer.dtype
    left, right = (value.a, value.b) if code.varies(value.a) else (value.b, value.a)
    a = code.operand(left, kind, target if free_for(target, right) else None)
    b: Region | Scalar = tile_of(code, right, kind)
    if not code.varies(right):
        code.beyond(f"the scalar {show(right)} of {value.op} has no vector form there")
    code.emit(f"tile.{_PAIRS[value.op]}", target, a, b)
    code.release(a, target)
    code.release(b, target)
