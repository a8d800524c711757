"""Conversions in element-wise stores, as the scalar unit makes them: by one call or by several."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tl_ascend.ir.expr import Cast, Load, Scalar
from tl_ascend.ir.nodes import Region, Store
from tl_ascend.passes.vector_index import NotVector
from tl_ascend.target.conversions import (
    NEAREST,
    NONE,
    TOWARDS_ZERO,
    as_scalars,
    copied_upstream,
    modes,
)
from tl_ascend.target.dtypes import BY_NAME
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.passes.vector_code import VectorCode

_WITHOUT = (Memory.UB, Memory.GM)  # transfers between these do not convert


def stated(code: VectorCode, store: Store) -> Scalar:
    """The value of a store, with the conversion to the type of its buffer where it is a mere element:
    as such it would be copied, and copies round to the nearest or do not convert."""
    value = store.value
    if isinstance(value, Load) and value.dtype != store.buffer.dtype:
        if all(code.memory(buffer) in _WITHOUT for buffer in (value.buffer, store.buffer)):
            return Cast(store.buffer.dtype, value)
    return value


def convert(code: VectorCode, source: Region, target: Region) -> None:
    """A tile in another type. Errors: NotVector."""
    kinds = source.buffer.dtype, target.buffer.dtype
    code.beyond("a conversion has no vector form there")
    if {kind.name for kind in kinds} == {"bool", "uint8"}:
        code.emit("copy", source, target)
        code.release(source, target)
        return
    types = as_scalars(*kinds)
    if not types:
        raise NotVector(f"no conversion from {kinds[0]} to {kinds[1]}")
    whole = kinds[0].kind == "float" and kinds[1].kind != "float"
    for name in types[1:-1]:
        between = code.take(BY_NAME[name])
        _step(code, source, between, whole)
        code.release(source, target)
        source = between
    _step(code, source, target, whole)
    code.release(source, target)


def _step(code: VectorCode, source: Region, target: Region, whole: bool) -> None:
    """`whole`: the fraction is dropped, as scalars lose it."""
    kinds = source.buffer.dtype, target.buffer.dtype
    taken = modes(*kinds)
    if (not whole or TOWARDS_ZERO not in taken) and copied_upstream(*kinds):
        code.emit("copy", source, target)
        return
    mode = TOWARDS_ZERO if whole and TOWARDS_ZERO in taken else NONE if NONE in taken else NEAREST
    code.emit("tile.cast", target, source, mode, prod(code.extents))
