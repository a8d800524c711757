"""What may be at fault, as checks state it: the changes that would mend what they tell, each alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from tl_ascend.diagnostics.report import Cause, Finding
from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.geometry import is_one
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.ir.storage import elements, root
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Memory


class Use(Enum):
    """What a use says of the length of a buffer: `EXACT`, none but this; `ALL`, this or a greater one,
    and it takes all of it; `PART`, this or a greater one."""

    EXACT = 0
    ALL = 1
    PART = 2


@dataclass(frozen=True, slots=True)
class Extent:
    """The cause where a buffer ought to have been declared with another length along an axis."""

    buffer: int
    axis: int
    length: int
    use: Use = Use.EXACT

    def and_also(self, other: Extent) -> Extent | None:
        """What mends both. Two that only reach too far may be two faults, unless each takes all of what
        there ought to be."""
        one, more = sorted((self, other), key=lambda use: use.use.value)
        if (one.buffer, one.axis) != (more.buffer, more.axis):
            return None
        if one.use is Use.EXACT and more.use is not Use.EXACT:
            return one if one.length >= more.length else None
        return one if one == more and one.use is not Use.PART else None


def resized(region: Region, extents: Sequence[Scalar]) -> tuple[Cause, ...]:
    """The causes where a region ought to have as many elements as these extents. One that is written
    as a part may be wrong itself."""
    return *resized_part(region, extents), *_declared(region, extents)


def resized_part(region: Region, extents: Sequence[Scalar]) -> tuple[Cause, ...]:
    """The same, unless the buffer that it is a part of ought to be another one."""
    return (("size", _what(region), elements(tuple(extents)) or tuple(extents)),)


def _declared(region: Region, extents: Sequence[Scalar]) -> tuple[Cause, ...]:
    """The same as a length of the declaration, where one alone is another one."""
    asked, rank = tuple(extents), len(region.extents)
    while len(asked) > rank and is_one(asked[0]):
        asked = asked[1:]
    if rank == 1:
        total = elements(asked)
        asked = () if total is None else (total,)
    asked = (1,) * (rank - len(asked)) + asked if asked else ()
    if len(asked) != rank:
        return ()
    other = [at for at in range(rank) if asked[at] != region.extents[at]]
    return along(region, other[0], asked[other[0]]) if len(other) == 1 else ()


def along(region: Region, axis: int, length: Scalar) -> tuple[Cause, ...]:
    """The cause where a buffer, of which a region takes all along an axis, ought to have another length
    there."""
    buffer, axis = region.buffer, axis % len(region.extents)
    whole = len(region.extents) == buffer.rank and region.extents[axis] == buffer.shape[axis]
    if not whole or buffer.alias_of is not None or not isinstance(length, int):
        return ()
    return (Extent(buffer.uid, axis, int(length)),)


def reaching(buffer: Buffer, axis: int, first: int, last: int) -> tuple[Cause, ...]:
    """The cause where a buffer ought to have these elements along an axis."""
    use = Use.PART if first else Use.ALL
    return (Extent(buffer.uid, axis, last + 1, use),) if buffer.alias_of is None else ()


def indexed(index: Scalar, size: Scalar) -> tuple[Cause, ...]:
    """The cause where an index is computed wrongly, whatever it is used for."""
    return (("index", index, size),) if isinstance(index, Expr) else ()


def sizes_asked(findings: Iterable[Finding], region: Region) -> dict[Scalar, Cause]:
    """How many elements findings want a region to have, and the cause of each."""
    return {
        cause[2]: cause
        for finding in findings
        for cause in finding.causes
        if isinstance(cause, tuple) and cause[:2] == ("size", _what(region))
    }


def resized_along(region: Region, axis: str, extent: Scalar) -> Cause:
    """The cause where a region ought to have this extent for M, N or K."""
    return axis, _what(region), extent


def of_fewer_dimensions(region: Region) -> Cause:
    """The cause where a region has more dimensions than can be moved at one time."""
    return "dimensions", _what(region)


def repitched(region: Region, pitch: int) -> Cause:
    """The cause where the rows of a tile ought to lie so many bytes apart."""
    return "pitch", root(region.buffer).uid, pitch


def row_resized(region: Region) -> Cause:
    """The cause where the rows of this tile alone ought to be longer."""
    return "row", root(region.buffer).uid


def widened(region: Region) -> Cause:
    """The cause where rows of this length are no whole blocks, of whichever tile they are."""
    return "width", region.buffer.shape[-1], region.buffer.dtype.bits


def restarted(region: Region, rest: int) -> Cause:
    """The cause where parts of a tile ought not to start so many bytes behind a block."""
    return "start", root(region.buffer).uid, rest


def retyped(region: Region, *dtypes: str) -> tuple[Cause, ...]:
    """The causes where a buffer ought to have another element type, any of these."""
    return tuple(("type", root(region.buffer).uid, name) for name in dtypes)


def of_two_types(one: Region, other: Region) -> tuple[Cause, ...]:
    """The causes where two buffers ought to have the same element type."""
    return (*retyped(one, other.buffer.dtype.name), *retyped(other, one.buffer.dtype.name))


def moved(region: Region, memory: Memory, call: Span) -> tuple[Cause, ...]:
    """The causes where an operand ought to lie in another memory, or the call to be another one."""
    return *lying_in(region, memory), ("operation", call)


def lying_in(region: Region, *memories: Memory) -> tuple[Cause, ...]:
    """The causes where a buffer ought to lie in another memory, any of these."""
    return tuple(("memory", root(region.buffer).uid, memory) for memory in memories)


def of_length(*lengths: Scalar) -> tuple[Cause, ...]:
    """The causes where tiles and steps of one of these lengths ought to be of another one."""
    return tuple(("length", length) for length in lengths)


def of_any_length(buffer: Buffer) -> Cause:
    """The cause where a buffer ought to have been declared with other lengths."""
    return "lengths", buffer.uid


def shortened(turns: Iterable[tuple[Expr, int]]) -> tuple[Cause, ...]:
    """The causes where loops ought to end behind these turns, any of them."""
    return tuple(("turns", var, last) for var, last in turns)


def begun_later(turns: Iterable[tuple[Expr, int]]) -> tuple[Cause, ...]:
    """The causes where loops ought to begin with these turns, any of them."""
    return tuple(("turns from", var, first) for var, first in turns)


def _what(region: Region) -> Cause:
    return root(region.buffer).uid if region.form == "whole" else region.span
