"""What a check sees: the kernel as written, the memories that lowering chose, and the sink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.nodes import Kernel, Region, Stmt, TileOp
from tl_ascend.ir.storage import elements, root
from tl_ascend.ir.text import show
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Memory, Platform


@dataclass(frozen=True, slots=True)
class CheckContext:
    """`before`: the kernel as the front end gave it; `after`: lowered (placements, addresses).
    `outside`: buffers, by number, of which parts that do not exist are taken."""

    before: Kernel
    after: Kernel
    platform: Platform
    report: Report
    upstream: str = "snapshot"
    outside: set[int] = field(default_factory=set)

    def memory(self, region: Region) -> Memory | None:
        """Where a region lies; None where lowering gave it no place."""
        place = self.after.placements.get(root(region.buffer).uid)
        return None if place is None else place.memory


@dataclass(frozen=True, slots=True)
class Call:
    """One operation under its row, with access to arguments by name."""

    op: TileOp
    row: Op

    @property
    def name(self) -> str:
        return f"T.{self.row.name}"

    def arg(self, name: str) -> Any:
        at = self._at(name)
        return None if at is None or at >= len(self.op.args) else self.op.args[at]

    def region(self, name: str) -> Region | None:
        """The argument as a tile: a name or a slice. None for a scalar and for a corner."""
        arg = self.arg(name)
        return arg if isinstance(arg, Region) and arg.form != "start" else None

    def span(self, name: str) -> Span:
        """Where the argument stands; the call where it was not written."""
        at = self._at(name)
        return self.op.span if at is None or at >= len(self.op.spans) else self.op.spans[at]

    def _at(self, name: str) -> int | None:
        known = _positions.get(id(self.row))
        if known is None or known[0] is not self.row:
            names = {param.name: at for at, param in reversed([*enumerate(self.row.params)])}
            known = _positions[id(self.row)] = self.row, names
        return known[1].get(name)


def calls_of(stmts: Iterable[Stmt]) -> Iterator[Call]:
    """The operations among statements that have a row."""
    for stmt in stmts:
        row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
        if row is not None and isinstance(stmt, TileOp):
            yield Call(stmt, row)


def spans_of(stmt: Stmt) -> tuple[Span, ...]:
    """Where a statement stands, and each of its operands."""
    return (stmt.span, *stmt.spans) if isinstance(stmt, TileOp) else (stmt.span,)


# Of the parameters of rows, by identity: rules ask by name, over and over.
_positions: dict[int, tuple[Op, dict[str, int]]] = {}


def size(region: Region | None) -> int | None:
    """Elements of a region, where they are known."""
    return None if region is None else elements(region.extents)


def shape_text(shape: tuple[Any, ...]) -> str:
    """`(64, 128)`."""
    return show(shape)


def count(number: int, word: str) -> str:
    """`1 index`, `2 indices`."""
    plural = {"index": "indices"}.get(word, f"{word}s")
    return f"{number} {word if number == 1 else plural}"
