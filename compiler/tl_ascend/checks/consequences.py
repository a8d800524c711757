"""What follows from another fault is not told: a call with an operand that it cannot reach says nothing
of sizes and types, and a part that does not exist nothing of the rows that it was to write.

Of what is told of one call the most fundamental stays; what may be a fault of its own stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tl_ascend.checks.causes import Extent
from tl_ascend.checks.context import spans_of
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Finding, Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Kernel, Region, TileOp, regions_of, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.source.span import Span

# The lower, the more fundamental. In between stand what a part says, how much it is, of which type, and
# where it lies.
_MEMORY, _PLACE, _SIZE, _TYPE, _START = range(5)
_RANKS = {
    "copy-scope": _MEMORY,
    "scope-conflict": _MEMORY,
    "scope-ownership": _MEMORY,
    "vector-operand": _MEMORY,
    "out-of-bounds": _PLACE,
    "copy-shape": _SIZE,
    "gemm-operand": _SIZE,
    "operand-size": _SIZE,
    "reduce-shape": _SIZE,
    "slice-noncontiguous": _SIZE,
    "cast-mode": _TYPE,
    "dtype-unsupported": _TYPE,
    "copy-align": _START,
    "vector-align": _START,
}
# Who takes what when, and who writes which rows, is known only where each access is what it ought to be.
_ORDER = frozenset({"sync-missing", "core-race", "flag-unmatched", "cross-flag-unmatched"})
_ROWS = "tail"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a finding stands: in which call, at which of its operands, and which tensors these are."""

    call: Span
    operands: frozenset[int] = frozenset()
    tensors: frozenset[int] = frozenset()


@dataclass(slots=True)
class Head:
    """What is told, as which of the findings, and what follows from it or is of less weight."""

    finding: Finding
    at: int
    place: _Place | None = None
    others: list[Finding] = field(default_factory=list)

    def explains(self, finding: Finding, place: _Place | None) -> bool:
        """True where that follows from this, or is of less weight, at the same call."""
        here, one, other = self.place, _rank(self.finding), _rank(finding)
        if here is None or place is None or here.call != place.call or one is None:
            return False
        if _MEMORY == one == other:
            return True
        if finding.level < Severity.INFO:
            return False
        if not here.operands & place.operands and not _of_another_call(self.finding):
            return False
        if not set(self.finding.causes).isdisjoint(finding.causes):
            return False  # one change mends both, which is told where that is seen first
        quieter = finding.level < self.finding.level
        return one == _MEMORY or (other is not None and (one < other or quieter))

    @property
    def beside(self) -> tuple[Related, ...]:
        """What may be a fault of its own."""
        if _rank(self.finding) == _MEMORY:
            return ()
        return tuple(Related(one.span, f"here, too: {one.message}") for one in self.others)


def heads_of(findings: Sequence[Finding], kernel: Kernel) -> list[Head]:
    """What is left. An error is no consequence of a warning."""
    calls = [stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp)]
    places = _places(calls)
    lost = _without_order(findings, calls, places) | _without_rows(findings, places)
    lost |= _without_outputs(findings, calls, places)
    lost |= _of_doubtful_size(findings, calls)
    heads: list[Head] = []
    for at in sorted(set(range(len(findings))) - lost, key=lambda at: _weight(findings[at])):
        finding, place = findings[at], places.get(findings[at].span)
        head = next((head for head in heads if head.explains(finding, place)), None)
        if head is None:
            heads.append(Head(finding, at, place))
        else:
            head.others.append(finding)
    return heads


def _places(calls: Sequence[TileOp]) -> Mapping[Span, _Place]:
    places: dict[Span, _Place] = {}
    for call in calls:
        tensors = [
            frozenset({root(arg.buffer).uid})
            if isinstance(arg, Region) and root(arg.buffer).scope == "GM"
            else frozenset[int]()
            for arg in call.args
        ]
        every = frozenset(range(len(call.args)))
        places.setdefault(call.span, _Place(call.span, every, frozenset().union(*tensors)))
        for at, (span, arg) in enumerate(zip(call.spans, call.args, strict=False)):
            one = _Place(call.span, frozenset({at}), tensors[at])
            places.setdefault(span, one)
            if isinstance(arg, Region):
                places.setdefault(arg.span, one)
    return places


def _rank(finding: Finding) -> int | None:
    """None for what explains nothing. Only an operand that lies where it cannot explains that."""
    return _MEMORY if _of_another_call(finding) else _RANKS.get(finding.name)


def _of_another_call(finding: Finding) -> bool:
    """True where operands are such as another call takes."""
    return any(isinstance(cause, tuple) and cause[0] == "operation" for cause in finding.causes)


def _weight(finding: Finding) -> tuple[int, int]:
    rank = _rank(finding)
    return -finding.level, len(_RANKS) if rank is None else rank


def _unreachable(findings: Sequence[Finding], places: Mapping[Span, _Place]) -> set[Span]:
    """Calls with an operand that they cannot take where it lies."""
    wrong = (one for one in findings if _rank(one) == _MEMORY and one.level is Severity.ERROR)
    return {places[one.span].call for one in wrong if one.span in places}


def _without_order(
    findings: Sequence[Finding], calls: Sequence[TileOp], places: Mapping[Span, _Place]
) -> set[int]:
    """What is told of the order of calls that cannot be, or that other cores have to do."""
    wrong = _unreachable(findings, places)
    spans = {span for call in calls if call.span in wrong for span in spans_of(call)}
    moved = any(one.name == "scope-ownership" for one in findings)
    return {
        at
        for at, one in enumerate(findings)
        if one.name in _ORDER
        and (moved or not spans.isdisjoint({one.span, *(place.span for place in one.related)}))
    }


def _without_rows(findings: Sequence[Finding], places: Mapping[Span, _Place]) -> set[int]:
    """What is told of the rows of tensors that a call takes wrongly, or that several blocks write."""
    wrong, unsure = _unreachable(findings, places), set[int]()
    for place in places.values():
        unsure |= place.tensors if place.call in wrong else set()
    for one in findings:
        if one.name in ("out-of-bounds", "race") and one.span in places:
            unsure |= places[one.span].tensors
    return {
        at
        for at, one in enumerate(findings)
        if one.name == _ROWS and one.span in places and places[one.span].tensors & unsure
    }


def _without_outputs(
    findings: Sequence[Finding], calls: Sequence[TileOp], places: Mapping[Span, _Place]
) -> set[int]:
    """What is told of outputs that nothing writes, where a call that is wrong itself writes another
    tensor: it may be the one that was to write them."""
    wrong = {
        places[one.span].call
        for one in findings
        if one.level is Severity.ERROR and _rank(one) is not None and one.span in places
    }
    astray = any(
        root(region.buffer).scope == "GM"
        for call in calls
        if call.span in wrong
        for region in effect_of(call).writes
    )
    return {at for at, one in enumerate(findings) if one.name == "out-idx" and astray}


def _of_doubtful_size(findings: Sequence[Finding], calls: Sequence[TileOp]) -> set[int]:
    """What is told of rows that a call moves, and of how a tile lies, where the size of the tile may be
    what is wrong."""
    doubtful = {
        cause.buffer
        for one in findings
        if one.level is Severity.ERROR
        for cause in one.causes
        if isinstance(cause, Extent)
    }
    spans = {
        span
        for call in calls
        if not doubtful.isdisjoint(r.buffer.uid for r in regions_of(call))
        for span in spans_of(call)
    }
    sized = {("lengths", uid) for uid in doubtful}
    return {
        at
        for at, one in enumerate(findings)
        if one.level is Severity.WARNING
        and (one.name == _ROWS and one.span in spans or not sized.isdisjoint(one.causes))
    }
