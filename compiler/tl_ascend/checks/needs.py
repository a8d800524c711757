"""Operands that hold as many elements as a call touches: rows say how many these are (`Param.needs`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tl_ascend.checks.causes import resized
from tl_ascend.checks.context import Call, CheckContext, shape_text, size
from tl_ascend.checks.operands import beyond, room_of
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import BLOCK
from tl_ascend.ir.text import show_region
from tl_ascend.ops.row import Param


class _Unknown(Exception):
    """The number depends on what is not known."""


@dataclass(frozen=True, slots=True)
class _Given:
    """The arguments of a call, for the operand that is asked about."""

    call: Call
    tile: Region

    @property
    def unit(self) -> int:
        bits = self.tile.buffer.dtype.bits
        if bits <= 0 or BLOCK * 8 % bits:
            raise _Unknown
        return BLOCK * 8 // bits

    def arg(self, name: str) -> Any:
        return self.call.arg(name)

    def size(self, name: str) -> int:
        """Errors: _Unknown."""
        found = size(self.call.region(name))
        if found is None:
            raise _Unknown
        return found

    def number(self, name: str, at: int = 0) -> int:
        """Errors: _Unknown."""
        given = self.arg(name)
        if isinstance(given, (tuple, list)) and at < len(given):
            given = given[at]
        least = interval(given)[0] if type(given) is int or isinstance(given, Expr) else None
        if least is None:
            raise _Unknown
        return least


def enough_elements(call: Call, context: CheckContext) -> None:
    """Each operand for which the row says it reaches as far as the call does."""
    for param in call.row.params:
        tile = call.region(param.name) if param.needs is not None else None
        if tile is not None and not _reaches(call, param, tile, context):
            return


def _reaches(call: Call, param: Param, tile: Region, context: CheckContext) -> bool:
    """False where it does not, which is told."""
    wanted, room = _needed(call, param, tile), room_of(tile)
    if wanted is None or room is None or wanted <= room:
        return True
    verb = "writes" if param.role.writes else "reads"
    context.report.add(
        "operand-size",
        tile.span,
        f"{call.name} {verb} {wanted} elements of {show_region(tile)}, {param.name}, which has {room} "
        "up to its end",
        severity=Severity.ERROR if beyond(tile, room, wanted) else Severity.WARNING,
        related=(
            Related(tile.buffer.span, f"{tile.buffer.name}: {shape_text(tile.buffer.shape)}"),
        ),
        causes=resized(tile, (wanted,)),
        blocks=False,  # in the program nothing may lie behind the tile
    )
    return False


def _needed(call: Call, param: Param, tile: Region) -> int | None:
    assert param.needs is not None
    try:
        return param.needs(_Given(call, tile))
    except _Unknown:
        return None


def enough_offsets(call: Call, context: CheckContext) -> None:
    """T.tile.gather takes as many elements as there are offsets."""
    target, offsets = call.region("dst"), call.region("src_offset")
    wanted, have = size(target), size(offsets)
    if target is None or offsets is None or wanted is None or have is None or have >= wanted:
        return
    context.report.add(
        "operand-size",
        offsets.span,
        f"{show_region(offsets)} has {have} offsets, {shape_text(offsets.extents)}, and the destination "
        f"{show_region(target)} {wanted} elements, {shape_text(target.extents)}: the others keep what "
        "they hold",
        severity=Severity.WARNING,
        related=(Related(target.span, f"{wanted} elements"),),
        causes=(*resized(offsets, target.extents), *resized(target, offsets.extents)),
        blocks=False,
    )
