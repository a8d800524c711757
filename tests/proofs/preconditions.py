"""What operations ask of their operands: inputs are made so that it holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from tl_ascend.ir.nodes import Kernel, Region, TileOp, walk_stmts
from tl_ascend.ir.storage import elements, root


def sorted_runs(kernel: Kernel) -> dict[int, int]:
    """Tensors that are copied into tiles which are merged, by uid, with the elements of such a tile:
    pairs of a value and an index, the greatest value first (`tile.merge_sort`)."""
    calls = [stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp)]
    lengths: dict[int, int] = {}
    for call in calls:
        if call.op == "tile.merge_sort":
            for source in call.args[1:]:
                if isinstance(source, Region):
                    lengths[root(source.buffer).uid] = elements(source.buffer.shape) or 0
    found = {}
    for call in calls:
        source, target = call.args[:2] if call.op == "copy" else (None, None)
        if isinstance(source, Region) and isinstance(target, Region):
            length = lengths.get(root(target.buffer).uid, 0)
            if length > 1:
                found[root(source.buffer).uid] = length
    return found


def in_order(kernel: Kernel, given: list[Any]) -> list[Any]:
    """Arguments of a kernel in an order that its operations ask for."""
    runs = sorted_runs(kernel)
    if not runs:
        return given
    return [
        as_runs(value, runs[param.value.uid])
        if isinstance(value, np.ndarray) and param.value.uid in runs
        else value
        for param, value in zip(kernel.params, given, strict=True)
    ]


def as_runs(values: np.ndarray, length: int) -> np.ndarray:
    """The same values in runs of so many elements, each of pairs in descending order; what is left at
    the end stays as it is."""
    flat = values.ravel().copy()
    length -= length % 2
    for start in range(0, flat.size - length + 1, length):
        pairs = flat[start : start + length].reshape(-1, 2)
        order = np.argsort(-pairs[:, 0], kind="stable")
        flat[start : start + length] = pairs[order].ravel()
    return flat.reshape(values.shape)
