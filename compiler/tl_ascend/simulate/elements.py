"""Element types in numpy: how elements are stored, what they are computed in, how they convert.

bfloat16 is stored as its 16 bits and computed in float32; every other type is one of numpy's.
Integers wrap around in arithmetic; conversions from floats saturate, as those of the device do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from tl_ascend.simulate.errors import UnsupportedOperation
from tl_ascend.target.conversions import rounding
from tl_ascend.target.dtypes import DType

Array: TypeAlias = "np.ndarray[Any, Any]"

_NO_NUMPY = {
    "int4": "two elements share a byte, and no operation on A2 and A3 that has a row computes them",
    "float8_e4m3": "A2 and A3 do not have the type",
    "float8_e5m2": "A2 and A3 do not have the type",
}


@dataclass(frozen=True, slots=True)
class Element:
    """`store`: numpy's type of the bytes; `work`: of the values that they stand for."""

    dtype: DType
    store: np.dtype[Any]
    work: np.dtype[Any]

    @property
    def size(self) -> int:
        return self.store.itemsize

    def decode(self, cells: Array) -> Array:
        """Values of stored elements. The result may share memory with them."""
        if self.dtype.name == "bfloat16":
            return (cells.astype(np.uint32) << 16).view(np.float32)
        return cells if self.work == self.store else cells.astype(self.work)

    def encode(self, values: Any) -> Array:
        """Stored elements of values of any numeric type: floats round to nearest even, integers wrap."""
        array = np.asarray(values)
        if self.dtype.name == "bfloat16":
            return _bfloat16_bits(array)
        if self.dtype.kind == "bool":
            found: Array = (array != 0).astype(self.store)
            return found
        if array.dtype == self.store:
            return array
        if array.dtype.kind == "f" and self.work.kind in "iu":
            return saturated(np.trunc(array), self.work)
        if array.dtype == object:
            return np.asarray(wrapped(array, self.dtype), dtype=self.store)
        return array.astype(self.store)

    def round(self, values: Any) -> Any:
        """Values as they are after storing them."""
        return self.decode(self.encode(values))


def wrapped(values: Any, dtype: DType) -> Any:
    """Integers of Python modulo the range of a type."""
    size = 1 << dtype.bits
    low = -(size >> 1) if dtype.kind == "int" else 0
    return (values - low) % size + low


def _bfloat16_bits(values: Array) -> Array:
    single = np.ascontiguousarray(values, dtype=np.float32)
    bits = single.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> 16) & np.uint32(1))) >> 16
    quiet = (bits >> 16) | np.uint32(0x40)
    found: Array = np.where(np.isnan(single), quiet, rounded).astype(np.uint16)
    return found.reshape(np.shape(values))


@lru_cache(maxsize=64)
def element(dtype: DType) -> Element:
    """The numpy side of an element type. Errors: UnsupportedOperation."""
    if dtype.name in _NO_NUMPY:
        raise UnsupportedOperation(f"{dtype}: {_NO_NUMPY[dtype.name]}")
    if dtype.name == "bfloat16":
        return Element(dtype, np.dtype(np.uint16), np.dtype(np.float32))
    if dtype.kind == "bool":
        return Element(dtype, np.dtype(np.uint8), np.dtype(np.bool_))
    plain = np.dtype(dtype.name)
    return Element(dtype, plain, plain)


def saturated(values: Array, kind: np.dtype[Any]) -> Array:
    """Whole numbers in an integer type, those beyond its range at its ends; NaN is 0."""
    limits = np.iinfo(kind)
    if values.dtype.kind in "iu":
        own = np.iinfo(values.dtype)
        ends = max(own.min, limits.min), min(own.max, limits.max)
        return np.clip(values, *ends).astype(kind)
    wide = np.nan_to_num(values.astype(np.float64), nan=0.0)
    # The greatest 64-bit numbers are no floats: they round up, beyond the range.
    inside = np.clip(wide, float(limits.min), float(limits.max))
    found = inside.astype(kind)
    found = np.where(wide >= float(limits.max), limits.max, found)
    return np.where(wide <= float(limits.min), limits.min, found).astype(kind)


# --- conversions with a rounding mode (CANN, Cast) --------------------------------------------------


def converted(values: Array, source: Element, target: Element, mode: str) -> Array:
    """Values of one type as values of another. `mode`: one of `target.conversions.ROUNDINGS`."""
    mode = rounding(source.dtype, target.dtype, mode).removeprefix("CAST_")
    if target.dtype.kind == "bool":
        raise UnsupportedOperation(f"{source.dtype} to bool: bytes of bool are 0 and 1 here")
    floats = source.work.kind == "f", target.work.kind == "f"
    if floats == (True, False):
        return saturated(_whole(values, mode), target.work)
    if floats == (False, False):
        return saturated(values, target.work)
    if floats == (True, True) and source.dtype == target.dtype:
        return _whole(values, mode)
    return _narrowed(_wide(values), target, mode)


def _wide(values: Array) -> Array:
    """As float64: what has more digits becomes one of its two neighbours, the odd one, which rounds to
    what the number itself rounds to."""
    found: Array = values.astype(np.float64)
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        low = (values & 0x7FF) != 0
        odd = ((values >> 11) | low).astype(np.float64) * 2048
        return np.where(np.abs(found) < 2.0**53, found, odd)
    return found


def _whole(values: Array, mode: str) -> Array:
    """Floats rounded to whole numbers."""
    if mode == "FLOOR":
        return np.floor(values)
    if mode == "CEIL":
        return np.ceil(values)
    if mode == "TRUNC":
        return np.trunc(values)
    if mode == "ROUND":
        down = np.trunc(values)
        return np.where(np.abs(values - down) >= 0.5, down + np.sign(values), down)
    return np.rint(values)


def _narrowed(wide: Array, target: Element, mode: str) -> Array:
    """Floats rounded to a type with fewer digits."""
    nearest: Array = target.round(wide)
    if mode == "RINT":
        return nearest
    inner, outer = _neighbours(wide, nearest, target)
    positive = wide > 0
    if mode == "TRUNC":
        found = inner
    elif mode in ("FLOOR", "CEIL"):
        found = np.where(positive == (mode == "FLOOR"), inner, outer)
    elif mode == "ROUND":
        near = np.abs(wide - inner) < np.abs(outer.astype(np.float64) - wide)
        found = np.where(near, inner, outer)
    else:
        cells = np.ascontiguousarray(target.encode(inner))
        odd = (cells.view(np.dtype(f"u{target.size}")) & 1).astype(bool)
        found = np.where(odd, inner, outer)
    exact = (nearest == wide) | ~np.isfinite(wide)
    return np.where(exact, nearest, found).astype(target.work)


def _neighbours(wide: Array, nearest: Array, target: Element) -> tuple[Array, Array]:
    """The two values of the type beside a number: towards zero and away from it."""
    over = np.abs(nearest.astype(np.float64)) > np.abs(wide)
    inner = np.where(over, _step(nearest, target, -1), nearest)
    outer = np.where(over, nearest, _step(nearest, target, 1))
    return inner, outer


def _step(values: Array, target: Element, by: int) -> Array:
    """The next value of the type, away from zero (1) or towards it (-1)."""
    cells = np.ascontiguousarray(target.encode(values))
    bits = cells.view(np.dtype(f"u{target.size}"))
    moved = (bits.astype(np.int64) + by).astype(bits.dtype)
    return target.decode(moved.view(target.store))


def by_scalar(a: Array, b: Any) -> Array:
    """The vector unit divides tiles by tiles only: a scalar's reciprocal is multiplied."""
    with np.errstate(divide="ignore", invalid="ignore"):
        reciprocal = np.float32(1) / np.asarray(b, np.float32)
    found: Array = a * reciprocal.astype(a.dtype)
    return found
