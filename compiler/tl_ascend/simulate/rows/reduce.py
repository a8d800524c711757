"""Reductions along rows or columns of a tile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tl_ascend.simulate.call import Call, any_along, as_rows
from tl_ascend.simulate.errors import UnsupportedOperation
from tl_ascend.simulate.memory import Tile
from tl_ascend.simulate.registry import semantic

_WHOLE: dict[str, Callable[..., Any]] = {"sum": np.sum, "max": np.max, "min": np.min}
_PAIRS: dict[str, Callable[..., Any]] = {"sum": np.add, "max": np.maximum, "min": np.minimum}


@semantic("reduce_sum", "reduce_max", "reduce_min")
def reduce(call: Call) -> None:
    """Sums are exact and rounded once; with clear=False the old result takes part."""
    _reduced(call, call.row.name.removeprefix("reduce_"))


@semantic("reduce")
def reduce_named(call: Call) -> None:
    _reduced(call, call.word("reduce_type").removeprefix("reduce_"))


def _reduced(call: Call, name: str) -> None:
    box = call.box("buffer")
    tile, axis = _counted(call), _axis(call, len(box.extents))
    found = _WHOLE[name](wide(tile.values), axis=axis).astype(box.kind.work)
    poison = any_along(tile.poison, axis)
    if not call.flag("clear"):
        old = call.read("out", found.size)
        found = _PAIRS[name](old.values, found)
        if old.poison is not None:
            poison = old.poison if poison is None else old.poison | poison
    call.write("out", found, poison)


def wide(values: Any) -> Any:
    """Halves are summed in a wider type."""
    return values.astype(np.float64) if values.dtype.kind == "f" else values


def _counted(call: Call) -> Tile:
    """The part of the tile that counts, as rows; a size of 0 in `real_shape` stands for all."""
    box = call.box("buffer")
    rows, columns = as_rows(box)
    tile = box.read().moved(lambda part: part.reshape(rows, columns))
    if call.given("real_shape"):
        high, width = call.numbers("real_shape", 2)[:2]
        high, width = high or rows, width or columns
        if high > rows or width > columns:
            raise UnsupportedOperation(f"real_shape [{high}, {width}] is more than {box} has")
        tile = tile.moved(lambda part: part[:high, :width])
    return tile


def _axis(call: Call, rank: int) -> int:
    """1 along a row, 0 along a column; of three dimensions the last two count."""
    rank, dim = min(rank, 2), call.number("dim")
    if not -rank <= dim < rank:
        raise UnsupportedOperation(f"T.{call.row.name}: there is no dimension {dim}")
    return 1 if dim % rank == rank - 1 else 0
