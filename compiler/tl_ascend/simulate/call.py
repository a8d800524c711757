"""One call of a tile operation on one core, as semantics see it: operands by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tl_ascend.ir.expr import Load
from tl_ascend.ir.nodes import Region, TileOp
from tl_ascend.ops.row import Op
from tl_ascend.simulate.core import Core
from tl_ascend.simulate.elements import Element
from tl_ascend.simulate.errors import UnsupportedOperation
from tl_ascend.simulate.expressions import cast_to
from tl_ascend.simulate.machine import Machine
from tl_ascend.simulate.memory import Box, Poison, Tile, either


@dataclass(slots=True)
class Call:
    """Device calls walk consecutive elements: `read` and `write` take a count for that."""

    machine: Machine
    core: Core
    op: TileOp
    row: Op

    def arg(self, name: str) -> Any:
        at = self.row.index(name)
        return self.op.args[at] if at < len(self.op.args) else None

    def given(self, name: str) -> bool:
        return self.arg(name) is not None

    def is_tile(self, name: str) -> bool:
        """True for a tile; the corner of one, where a scalar may stand, is that element."""
        arg = self.arg(name)
        if not isinstance(arg, Region):
            return False
        return not (arg.form == "start" and self.row.params[self.row.index(name)].kind == "operand")

    def box(self, name: str) -> Box:
        region = self.arg(name)
        if not isinstance(region, Region):
            raise UnsupportedOperation(f"T.{self.row.name}: {name} is no tile")
        return self.machine.box(self.core, region)

    def read(self, name: str, count: int) -> Tile:
        """So many consecutive elements of an operand. A region with as many elements is walked as it
        is; another one gives its first element, and what follows that in memory is read."""
        box = self.box(name)
        return box.read().flat() if box.count == count else box.read_run(count)

    def write(self, name: str, values: Any, poison: Poison = None) -> None:
        """Set elements of an operand, as many as there are values."""
        box = self.box(name)
        values = np.asarray(values)
        if poison is not None:
            poison = np.broadcast_to(poison, values.shape)
        self.machine.note_poison(box.view.storage, poison)
        if box.count == values.size:
            shaped = None if poison is None else poison.reshape(box.extents)
            box.write(values.reshape(box.extents), shaped)
        else:
            box.write_run(values.ravel(), None if poison is None else poison.ravel())

    def number(self, name: str, default: int | None = None) -> int:
        """A count, an index or a stride. Errors: UnwrittenMemory."""
        arg = self.arg(name)
        if arg is None and default is not None:
            return default
        return self.core.integer(arg, f"{name} of T.{self.row.name}")

    def numbers(self, name: str, least: int) -> list[int]:
        """A list of integers."""
        given = self.arg(name)
        if not isinstance(given, (tuple, list)) or len(given) < least:
            raise UnsupportedOperation(f"T.{self.row.name}: {name} is a list of {least} numbers")
        return [self.core.integer(part, name) for part in given]

    def flag(self, name: str) -> bool:
        return bool(self.core.decide(self.arg(name), f"{name} of T.{self.row.name}"))

    def word(self, name: str) -> str:
        return str(self.arg(name))

    def scalar(self, name: str, kind: Element) -> Tile:
        """A scalar of exactly an element type."""
        arg = self.arg(name)
        if isinstance(arg, Region):
            arg = Load(arg.buffer, arg.starts)
        found, poison = self.core.evaluate(arg)
        return Tile(np.asarray(cast_to(found, kind.dtype)).astype(kind.work), poison)

    def apply(
        self,
        target: str,
        sources: tuple[str, ...],
        function: Callable[..., Any],
        count: int | None = None,
    ) -> None:
        """Element by element: `target[i] = function(sources[i]...)`, for `count` elements or all of
        the target."""
        box = self.box(target)
        total = box.count if count is None else count
        tiles = [self.operand(name, total, sources[0]) for name in sources]
        values = function(*(tile.values for tile in tiles))
        self.write(target, values, either(*(tile.poison for tile in tiles)))

    def operand(self, name: str, count: int, like: str) -> Tile:
        """A tile, or a scalar of the element type of another operand."""
        return (
            self.read(name, count) if self.is_tile(name) else self.scalar(name, self.box(like).kind)
        )


def as_rows(box: Box) -> tuple[int, int]:
    """Rows and columns of a region: all dimensions but the last are rows."""
    columns = box.extents[-1] if box.extents else 1
    return (box.count // columns if columns else 0), columns


def any_along(poison: Poison, axis: int) -> Poison:
    """Poison of what is computed from a whole row or column."""
    return None if poison is None else poison.any(axis=axis)
