"""Where parts of tiles in the UB start: on 32 bytes, for vector calls and for transfers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tl_ascend.checks.causes import repitched, restarted, widened
from tl_ascend.checks.certain import certain, each_value, launched, told_where
from tl_ascend.checks.context import Call, CheckContext, calls_of, size
from tl_ascend.checks.taken import Ranges
from tl_ascend.checks.transfers import rows_of
from tl_ascend.diagnostics.report import Cause, Related
from tl_ascend.ir.affine import affine
from tl_ascend.ir.expr import Expr, Scalar, Var, free_vars
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.geometry import offset
from tl_ascend.ir.nodes import Region, walk_stmts
from tl_ascend.ir.storage import BLOCK, round_up
from tl_ascend.ir.text import show_region
from tl_ascend.target.hardware import Memory, Pipe


@dataclass(frozen=True, slots=True)
class _Start:
    """A part that must start at a multiple of `unit` bytes. `rest`: the element where it starts, without
    what is a multiple in any case."""

    tile: Region
    unit: int
    rest: Scalar


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Where such a part starts instead: `rest` bytes behind a multiple of the unit, which is at `bytes`
    of the tile, for these values of loops and blocks."""

    tile: Region
    unit: int
    rest: int
    bytes: int | None
    at: Mapping[Expr, int]
    ranges: Ranges


def operand_starts(context: CheckContext) -> None:
    """Each call once, with the first value of loops and blocks for which an operand starts wrong."""
    body = context.before.body
    suspects: dict[int, list[_Start]] = {}
    for call in calls_of(walk_stmts(body)):
        starts = list(_suspects(call, context))
        if starts:
            suspects[id(call.op)] = starts
    for call, ranges in _runs(context) if suspects else ():
        starts = suspects.get(id(call.op), [])
        wrong = [found for start in starts if (found := _wrong(start, ranges))]
        if wrong:
            del suspects[id(call.op)]
            _report(call, wrong, context)


def _runs(context: CheckContext) -> Iterator[tuple[Call, Ranges]]:
    """The calls that run in any case, then all of them, with nothing known of loops."""
    body = context.before.body
    for stmt, ranges, _ in certain(body, launched(context.before)):
        yield from ((call, ranges) for call in calls_of((stmt,)))
    yield from ((call, {}) for call in calls_of(walk_stmts(body)))


def _suspects(call: Call, context: CheckContext) -> Iterator[_Start]:
    for tile, unit in _aligned(call, context):
        width = tile.buffer.dtype.bits
        if tile.form != "whole" and len(tile.starts) == tile.buffer.rank and width % 8 == 0:
            rest = _remainders(offset(tile.buffer, tile.starts), unit * 8, width)
            if isinstance(rest, Expr) or rest:
                yield _Start(tile, unit, rest)


def _aligned(call: Call, context: CheckContext) -> Iterator[tuple[Region, int]]:
    """The tiles in the UB whose start matters, each with the bytes of which it is a multiple. GM may be
    addressed by the byte."""
    if "copy_extents" in call.row.checks:
        sides = [side for side in (call.arg("src"), call.arg("dst")) if isinstance(side, Region)]
        memories = [context.memory(side) for side in sides]
        if set(memories) <= {Memory.UB, Memory.GM}:
            yield from (
                (side, BLOCK)
                for side, memory in zip(sides, memories, strict=True)
                if memory is Memory.UB
            )
    elif call.row.forms and call.row.forms[0].pipe is Pipe.V:
        for param in call.row.params:
            tile = call.region(param.name)
            if tile is None or param.memories != (Memory.UB,) or not param.aligned:
                continue
            if not (param.lone and size(tile) == 1) and context.memory(tile) is Memory.UB:
                yield tile, param.aligned


def _wrong(start: _Start, ranges: Ranges) -> _Wrong | None:
    tile, unit, width = start.tile, start.unit, start.tile.buffer.dtype.bits
    for value, at in each_value(start.rest, _narrowed(start.rest, ranges, unit)).items():
        rest = value * width // 8 % unit
        if rest:
            return _Wrong(tile, unit, rest, _bytes_at(tile, at, ranges), at, ranges)
    return None


def _remainders(value: Scalar, unit: int, width: int) -> Scalar:
    """A number of elements without what is a multiple of a unit in any case; both in bits."""
    form = affine(value)
    if form is None:
        return 0
    rest: Scalar = form.constant if form.terms or form.constant * width % unit else 0
    for atom, factor in form.terms.items():
        if factor * width % unit:
            rest = binary("+", rest, binary("*", atom, factor))
    return rest


def _narrowed(rest: Scalar, ranges: Ranges, unit: int) -> Ranges:
    """What repeats with the unit need not be tried further: variables that are terms of the sum."""
    form = affine(rest)
    atoms = [] if form is None else list(form.terms)
    inside = {var for atom in atoms if not isinstance(atom, Var) for var in free_vars(atom)}
    return {
        var: (low, high if var in inside else min(high, low + unit - 1))
        for var, (low, high) in ranges.items()
    }


def _bytes_at(tile: Region, at: Mapping[Expr, int], ranges: Ranges) -> int | None:
    """Where a part starts in its tile; None where that depends on what is not known."""
    lows = {var: low for var, (low, _) in ranges.items()}
    value = substitute(offset(tile.buffer, tile.starts), {**lows, **at})
    return value * tile.buffer.dtype.bits // 8 if isinstance(value, int) else None


def _report(call: Call, wrong: list[_Wrong], context: CheckContext) -> None:
    first = wrong[0]
    moved = "copy_extents" in call.row.checks
    what = "in the UB a transfer" if moved else f"an operand of {call.name}"
    context.report.add(
        "copy-align" if moved else "vector-align",
        first.tile.span,
        f"{_told(first)}: {what} must start at a multiple of {first.unit} bytes",
        notes=(
            f"The UB is read and written in blocks of {BLOCK} bytes: what starts within one raises an "
            "exception of the core, or gives wrong values.",
        ),
        related=(
            rows_of(first.tile),
            *(
                Related(one.tile.span, _told(one))
                for one in wrong[1:]
                if one.tile.span != first.tile.span
            ),
        ),
        causes=tuple(cause for one in wrong for cause in _causes(one)),
    )


def _told(wrong: _Wrong) -> str:
    text, name = show_region(wrong.tile), wrong.tile.buffer.name
    where = told_where(wrong.at, wrong.ranges)
    if wrong.bytes is None:
        return f"{text} starts {wrong.rest} bytes behind a multiple of {wrong.unit}{where}"
    return f"{text} starts {wrong.bytes} bytes into {name}{where}"


def _causes(wrong: _Wrong) -> tuple[Cause, ...]:
    """The rows of the tile where they lie wrong themselves, or the place that several calls take."""
    buffer = wrong.tile.buffer
    pitch, place = buffer.shape[-1], restarted(wrong.tile, wrong.rest)
    if buffer.rank > 1 and isinstance(pitch, int) and pitch * buffer.dtype.bits // 8 % BLOCK:
        wide = round_up(pitch * buffer.dtype.bits // 8, BLOCK)
        return repitched(wrong.tile, wide), widened(wrong.tile), place
    return (place,)
