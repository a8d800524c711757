"""What operations ask of what their operands hold: inputs are made so that it holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from tl_ascend.ir.nodes import Buffer, Kernel, Region, TileOp, walk_stmts
from tl_ascend.ir.storage import elements, root
from tl_ascend.ops.row import Values
from tl_ascend.ops.table import TABLE

BLOCK, WIDEST = 32, 4  # bytes
Asked = dict[Values, int]  # with the elements of the tile that must hold it


def asked(kernel: Kernel) -> dict[int, Asked]:
    """What calls ask of tiles, and so of the tensors that are copied into them, by uid."""
    calls = [stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp)]
    found: dict[int, Asked] = defaultdict(dict)
    for call in calls:
        for param, region in _operands(call):
            if param in _MADE:
                found[region.uid][param] = elements(region.shape) or 0
    copies = [[buffer for _, buffer in _operands(call)][:2] for call in calls if call.op == "copy"]
    for _ in copies:  # what is copied may have been copied itself
        for ends in copies:
            if len(ends) == 2 and ends[1].uid in found:
                found[ends[0].uid].update(found[ends[1].uid])
    return found


def _operands(call: TileOp) -> Iterator[tuple[Values, Buffer]]:
    row = TABLE[call.op]
    for arg, param in zip(call.args, row.params, strict=False):
        if isinstance(arg, Region):
            yield param.values, root(arg.buffer)


def as_asked(kernel: Kernel, given: list[Any]) -> list[Any]:
    """Arguments of a kernel that hold what its operations ask for."""
    wanted = asked(kernel)
    return [
        _holding(value, wanted.get(param.value.uid, {})) if isinstance(value, np.ndarray) else value
        for param, value in zip(kernel.params, given, strict=True)
    ]


def _holding(values: np.ndarray, wanted: Asked) -> np.ndarray:
    for what, length in wanted.items():
        values = _MADE[what](values, length)
    return values


def positive(values: np.ndarray, length: int = 0) -> np.ndarray:
    """The numbers without their signs, and 1 for 0."""
    return np.where(values == 0, np.ones_like(values), abs(values))


def as_runs(values: np.ndarray, length: int) -> np.ndarray:
    """The same values in runs of so many elements, each of pairs in descending order; what is left at
    the end stays as it is."""
    flat = values.ravel().copy()
    length -= length % 2
    if length == 0:
        return values
    for start in range(0, flat.size - length + 1, length):
        pairs = flat[start : start + length].reshape(-1, 2)
        order = np.argsort(-pairs[:, 0], kind="stable")
        flat[start : start + length] = pairs[order].ravel()
    return flat.reshape(values.shape)


_MADE = {
    Values.ELEMENTS: lambda values, length: values * values.dtype.type(WIDEST),
    Values.BLOCKS: lambda values, length: values * values.dtype.type(BLOCK),
    Values.POSITIVE: positive,
    Values.FALLING_PAIRS: as_runs,
}
