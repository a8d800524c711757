"""Arithmetic, conversion, comparison, choice and repetition on tiles in the UB."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tl_ascend.ir.constants import as_product
from tl_ascend.simulate.call import Call
from tl_ascend.simulate.elements import Array, by_scalar
from tl_ascend.simulate.errors import UnsupportedOperation
from tl_ascend.simulate.memory import Poison, Tile, either
from tl_ascend.simulate.registry import semantic
from tl_ascend.simulate.rows.conversions import by_unit

LANES = 256  # bytes that one repeat of the vector unit covers


def _binary(name: str, function: Callable[[Array, Array], Array]) -> None:
    @semantic(f"tile.{name}")
    def apply(call: Call) -> None:
        call.apply("dst", ("src0", "src1"), function)


def _unary(name: str, function: Callable[[Array], Array]) -> None:
    @semantic(f"tile.{name}")
    def apply(call: Call) -> None:
        call.apply("dst", ("src0",), function)


@semantic("tile.div")
def divide(call: Call) -> None:
    """By a scalar where its reciprocal does not do, else times that."""
    kind, scalar = call.box("src0").kind, call.arg("src1")
    by_number = not call.is_tile("src1") and kind.work.kind == "f"
    times = by_number and as_product(scalar, kind.dtype)
    call.apply("dst", ("src0", "src1"), by_scalar if times else np.divide)


_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}
for _name, _function in _BINARY.items():
    _binary(_name, _function)

_UNARY: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "ln": np.log,
    "abs": np.abs,
    "reciprocal": lambda a: (1 / a).astype(a.dtype),
    "sqrt": np.sqrt,
    "rsqrt": lambda a: (1 / np.sqrt(a)).astype(a.dtype),
    "relu": lambda a: np.maximum(a, 0),
}
for _name, _single in _UNARY.items():
    _unary(_name, _single)


@semantic("tile.fill", "tile.clear")
def fill(call: Call) -> None:
    """One value everywhere."""
    box = call.box("buffer")
    if call.row.name == "tile.clear":
        number = Tile(box.kind.work.type(0))
    else:
        number = call.scalar("value", box.kind)
    call.write("buffer", np.full(box.count, number.values, box.kind.work), number.poison)


@semantic("tile.cast")
def cast(call: Call) -> None:
    """The first `count` elements in another type."""
    kinds = call.box("src").kind, call.box("dst").kind
    tile = call.read("src", call.number("count"))
    call.write("dst", by_unit(call, tile.values, *kinds, call.word("mode")), tile.poison)


@semantic("tile.broadcast")
def broadcast(call: Call) -> None:
    """A row over rows or a column over columns."""
    source, target = call.box("src"), call.box("dst")
    wide, narrow = target.extents[-2:], source.extents[-2:]
    axis = call.arg("axis")
    if len(narrow) == 1 and len(wide) == 2:
        if axis is None:
            axis = 0 if wide[1] == narrow[0] else 1
        narrow = (1, narrow[0]) if axis == 0 else (narrow[0], 1)
    if source.count != int(np.prod(narrow)) or target.count != int(np.prod(wide)):
        raise UnsupportedOperation(f"broadcast of {source} to {target}: more than two dimensions")
    tile = source.read().moved(lambda part: np.broadcast_to(part.reshape(narrow), wide))
    call.write("dst", tile.values, tile.poison)


# --- comparisons and choices ------------------------------------------------------------------------

_MODES: dict[str, Callable[[Any, Any], Any]] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
    "LT": np.less,
    "LE": np.less_equal,
}


@semantic("tile.compare")
def compare(call: Call) -> None:
    """One bit for each element, the first in the lowest bit of the first byte."""
    count = call.box("src0").count
    a, b = call.operand("src0", count, "src0"), call.operand("src1", count, "src0")
    bits = np.packbits(_MODES[call.word("mode")](a.values, b.values), bitorder="little")
    poison = either(a.poison, b.poison)
    _write_bytes(call, "dst", bits, _spoiled_bytes(poison, count))


def _spoiled_bytes(poison: Poison, count: int) -> Poison:
    """Marks are by byte: one counts as written where any of its bits is. A choice by one of the others
    chooses between elements that are poison themselves, in all but odd cases."""
    if poison is None:
        return None
    marks = np.broadcast_to(poison, (count,))
    found = np.logical_and.reduceat(marks, np.arange(0, count, 8))
    return found if found.any() else None


def _write_bytes(call: Call, name: str, data: Array, poison: Poison) -> None:
    """Bytes into a tile of any integer type."""
    box = call.box(name)
    if box.kind.size != 1:
        room = data.size % box.kind.size
        data = np.pad(data, (0, (box.kind.size - room) % box.kind.size)).view(box.kind.store)
        poison = None if poison is None else np.full(data.shape, bool(poison.any()))
    box.write_run(data, poison)


@semantic("tile.select")
def select(call: Call) -> None:
    """The first source where the bit is set. With VSEL_CMPMASK_SPR every repeat takes the same bits."""
    target = call.box("dst")
    count, lanes = target.count, LANES // target.kind.size
    same = call.word("selMode") == "VSEL_CMPMASK_SPR"
    bits, spoiled = mask_bits(call, "selMask", min(count, lanes) if same else count)
    if same:
        bits = np.resize(bits, count)
        spoiled = None if spoiled is None else np.resize(spoiled, count)
    a, b = call.operand("src0", count, "src0"), call.operand("src1", count, "src0")
    poison = _chosen_poison(bits, spoiled, a, b)
    call.write("dst", np.where(bits, a.values, b.values).astype(target.kind.work), poison)


def _chosen_poison(bits: Array, spoiled: Poison, a: Tile, b: Tile) -> Poison:
    if spoiled is None and a.poison is None and b.poison is None:
        return None
    left = False if a.poison is None else a.poison
    right = False if b.poison is None else b.poison
    found = np.where(bits, left, right)
    return found if spoiled is None else found | spoiled


def mask_bits(call: Call, name: str, count: int) -> tuple[Array, Poison]:
    """So many bits of a mask, and which are poison."""
    box = call.box(name)
    size = box.kind.size
    cells = -(-count // (8 * size))
    tile = box.read_run(cells)
    data = np.ascontiguousarray(tile.values).view(np.uint8)
    bits = np.unpackbits(data, bitorder="little")[:count].astype(bool)
    poison = None if tile.poison is None else np.repeat(tile.poison, 8 * size)[:count]
    return bits, poison
