"""Sorting and selection: pairs of a value and its index, in descending order."""

from __future__ import annotations

import numpy as np

from tl_ascend.simulate.call import Call
from tl_ascend.simulate.elements import Array
from tl_ascend.simulate.errors import UnsupportedOperation
from tl_ascend.simulate.memory import Poison
from tl_ascend.simulate.registry import semantic
from tl_ascend.simulate.rows.gather import places

GROUP = 32


def descending(values: Array) -> Array:
    """The order of the greatest first; of equal ones, the first."""
    return np.argsort(-values.astype(np.float64), axis=-1, kind="stable")


def _pairs(values: Array, poison: Poison) -> tuple[Array, Poison]:
    """Values and their indices as numbers; any poison spoils the order of all."""
    order = descending(values)
    found = np.empty(2 * values.size, np.float64)
    found[0::2], found[1::2] = values[order], order
    return found, None if poison is None else np.full(found.shape, bool(poison.any()))


def _scores(call: Call, total: int) -> tuple[Array, Poison]:
    """The first `actual_num` scores; the others of whole groups count as -inf. float32 sources are
    overwritten with that."""
    box, count = call.box("src"), call.number("actual_num")
    total = max(total, count)
    tile = call.read("src", min(count, total))
    values = np.full(total, -np.inf, np.float64)
    values[:count] = tile.values
    if box.kind.dtype.name == "float32" and count < min(total, box.count):
        rest = box.read_run(min(total, box.count))
        kept = np.concatenate([rest.values[:count], values[count : rest.values.size]])
        poison = None
        if tile.poison is not None:
            poison = np.zeros(kept.size, bool)
            poison[:count] = tile.poison
        box.write_run(kept, poison)
    return values, tile.poison


@semantic("tile.sort")
def sort(call: Call) -> None:
    total = -(-call.number("actual_num") // GROUP) * GROUP
    values, poison = _pairs(*_scores(call, total))
    call.box("dst").write_run(values, poison)


@semantic("tile.topk")
def topk(call: Call) -> None:
    """All of the source takes part in the order."""
    total = -(-call.box("src").count // GROUP) * GROUP
    wanted = 2 * call.number("K")
    values, poison = _pairs(*_scores(call, total))
    call.box("dst").write_run(values[:wanted], None if poison is None else poison[:wanted])


@semantic("tile.sort32")
def sort32(call: Call) -> None:
    """Each pair has 8 bytes: the value, then the index that the second source gives."""
    source, target = call.box("src0"), call.box("dst")
    groups = source.count // GROUP
    count = groups * GROUP
    tile = call.read("src0", count)
    index = places(call, "src1", count).reshape(groups, GROUP)
    values = tile.values.reshape(groups, GROUP)
    order = descending(values)
    ordered = np.take_along_axis(values, order, 1).ravel()
    numbers = np.take_along_axis(index, order, 1).ravel().astype(np.uint32)
    raw = np.zeros((count, 8), np.uint8)
    raw[:, : source.kind.size] = source.kind.encode(ordered).view(np.uint8).reshape(count, -1)
    raw[:, 4:] = numbers.view(np.uint8).reshape(count, 4)
    poison = None
    if tile.poison is not None:
        spoiled = tile.poison.reshape(groups, GROUP).any(axis=1)
        poison = np.repeat(spoiled, GROUP * 8 // target.kind.size)
    cells = raw.ravel().view(target.kind.store)
    target.write_run(target.kind.decode(cells), poison)


@semantic("tile.merge_sort")
def merge_sort(call: Call) -> None:
    """Two to four sorted runs of pairs as one; of equal values, those of the first run first."""
    names = [f"src{at}" for at in range(4) if call.given(f"src{at}")]
    runs = [call.box(name).read().flat() for name in names]
    values = np.concatenate([run.values for run in runs])
    if values.size % 2:
        raise UnsupportedOperation("T.tile.merge_sort of half a pair")
    pairs = np.ascontiguousarray(values).reshape(-1, 2)
    # Indices may be integers whose bits are no numbers: they travel as bits.
    ordered = pairs.view(np.uint32)[descending(pairs[:, 0])].view(np.float32)
    spoiled = any(run.poison is not None for run in runs)
    poison = np.full(values.size, True) if spoiled else None
    call.box("dst").write_run(ordered.ravel(), poison)


@semantic("tile.init_sort_buf")
def init_sort_buf(call: Call) -> None:
    """Pairs that sort last: -inf, and an index of all bits."""
    box, count = call.box("buffer"), call.number("num")
    words = np.empty(count, np.uint32)
    words[0::2], words[1::2] = 0xFF800000, 0xFFFFFFFF
    box.write_run(words.view(box.kind.store))
