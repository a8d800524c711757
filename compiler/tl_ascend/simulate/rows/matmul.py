"""Matrix products: float operands accumulate in float32, int8 in int32."""

from __future__ import annotations

from typing import Any

import numpy as np

from tl_ascend.simulate.call import Call, as_rows
from tl_ascend.simulate.elements import Array
from tl_ascend.simulate.errors import UnsupportedOperation
from tl_ascend.simulate.memory import Poison, Tile
from tl_ascend.simulate.registry import semantic, value


@semantic("gemm_v0")
def gemm_v0(call: Call) -> None:
    _product(call, call.flag("transpose_A"), call.flag("transpose_B"))


@semantic("mma")
def mma(call: Call) -> None:
    _product(call, False, False)


def _product(call: Call, turn_a: bool, turn_b: bool) -> None:
    target = call.box("C")
    a, b = _operand(call, "A", turn_a), _operand(call, "B", turn_b)
    m, n = as_rows(target)
    if a.values.shape[0] != m or b.values.shape[1] != n or a.values.shape[1] != b.values.shape[0]:
        sizes = f"{list(a.values.shape)} and {list(b.values.shape)}"
        raise UnsupportedOperation(f"T.{call.row.name}: {sizes} do not make {[m, n]}")
    wide = target.kind.work
    values = a.values.astype(wide) @ b.values.astype(wide)
    poison = _spread(a.poison, b.poison, (m, n))
    if not call.flag("init"):
        old = target.read()
        values = values + old.values.reshape(m, n)
        if old.poison is not None:
            before = old.poison.reshape(m, n)
            poison = before if poison is None else poison | before
    call.write("C", values, poison)


def _operand(call: Call, name: str, turned: bool) -> Tile:
    box = call.box(name)
    rows, columns = as_rows(box)
    tile = box.read().moved(lambda part: part.reshape(rows, columns))
    return tile.moved(np.transpose) if turned else tile


def _spread(a: Poison, b: Poison, shape: tuple[int, int]) -> Poison:
    """A poisoned element of an operand spoils its row, or its column, of the product."""
    if a is None and b is None:
        return None
    found: Array = np.zeros(shape, bool)
    if a is not None:
        found |= a.any(axis=1)[:, None]
    if b is not None:
        found |= b.any(axis=0)[None, :]
    return found


@value("use_swizzle", "npu_use_swizzle")
def swizzle(kind: Any, block: Any, *sizes: Any) -> Any:
    """The block that this one stands in for: bands of `off` rows, or columns, are walked across,
    every other one backwards."""
    m, n, _, block_m, block_n = sizes[:5]
    off = sizes[5] if len(sizes) > 5 else 1
    direction = sizes[6] if len(sizes) > 6 else 0
    rows, columns = -(-m // block_m), -(-n // block_n)
    # Seen from the side, bands of columns are bands of rows.
    height, width = (rows, columns) if direction == 0 else (columns, rows)
    band, inside = divmod(block % (rows * columns), off * width)
    bands = -(-height // off)
    thick = height - off * band if band == bands - 1 else off
    at, across = band * off + inside % thick, inside // thick
    if band % 2:
        across = width - across - 1
    return at * columns + across if direction == 0 else across * columns + at
