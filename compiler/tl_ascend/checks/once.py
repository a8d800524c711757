"""One fault is told once: where sizes or types do not agree in several places, one change of a buffer or
of a part may mend them all. The first place is told, with the others beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tl_ascend.diagnostics.report import Cause, Finding, Related
from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import elements, root
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Memory


def resized(region: Region, extents: Sequence[Scalar]) -> Cause:
    """The cause where a region ought to have as many elements as these extents. One that is written
    as a part may be wrong itself."""
    return "size", _what(region), elements(tuple(extents)) or tuple(extents)


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


def shortened(turns: Iterable[tuple[Expr, int]]) -> tuple[Cause, ...]:
    """The causes where loops ought to end behind these turns, any of them."""
    return tuple(("turns", var, last) for var, last in turns)


def _what(region: Region) -> Cause:
    return root(region.buffer).uid if region.form == "whole" else region.span


@dataclass(slots=True)
class _Fault:
    """What is told, and the causes that explain all of it."""

    at: int
    causes: frozenset[Cause]


def told_once(findings: list[Finding]) -> list[Finding]:
    """The same without those that one cause of an earlier one explains."""
    kept: list[Finding] = []
    faults: list[_Fault] = []
    for finding in findings:
        known = _known(finding, faults)
        if known is not None:
            known.causes &= frozenset(finding.causes)
            kept[known.at] = _with(kept[known.at], finding)
            continue
        if finding.causes:
            faults.append(_Fault(len(kept), frozenset(finding.causes)))
        kept.append(finding)
    return kept


def _known(finding: Finding, faults: list[_Fault]) -> _Fault | None:
    return next((f for f in faults if not f.causes.isdisjoint(finding.causes)), None)


def _with(first: Finding, other: Finding) -> Finding:
    place = Related(other.span, f"here, too: {other.message}")
    related = first.related if other.span == first.span else (*first.related, place)
    return replace(first, related=related, fixes=first.fixes or other.fixes)
