"""Cores that wait for each other, each before it sets what the other waits for."""

from __future__ import annotations

from collections import Counter

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.sync.events import Event, Kind, Program, joined
from tl_ascend.checks.sync.execute import Followed, Run
from tl_ascend.checks.sync.outcome import Stuck
from tl_ascend.checks.sync.sized import least, with_size
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import Kernel, TileOp
from tl_ascend.source.span import Span


def standstill(found: Followed, context: CheckContext) -> bool:
    """Tell of cores that certainly stop each other; True where they do."""
    run, notes = _sure(found), found.place.notes
    if run is None:
        at = _of_size(found, context.after)
        if at is None:
            return False
        run = found.jams[at]
        size = with_size(found, context.after, at)
        notes = (*notes, f"This happens{size}.") if size else notes
    first = min(run.halts, key=lambda stuck: (_passed(stuck, run), stuck.core))
    if not isinstance(first.event.stmt, TileOp) or first.event.stmt.reason:
        return False  # the compiler's own
    _tell(first, run, notes, context)
    return True


def _sure(found: Followed) -> Run | None:
    """The first execution, where all stop at the same wait and nothing unknown decides on flags."""
    if not found.jams or len(found.jams) < len(found.programs):
        return None
    first, *others = found.jams.values()
    if not first.certain:
        alike = all(_waits(run) == _waits(first) for run in others)
        if not alike or not all(map(_matched, found.jams.values())):
            return None
    return first


def _of_size(found: Followed, kernel: Kernel) -> int | None:
    """The execution with the smallest size from which on all stop at the same waits."""
    return least(found, kernel, _jam)


def _jam(found: Followed, at: int) -> frozenset[Span]:
    return _waits(found.jams[at]) if at in found.jams else frozenset()


def _waits(run: Run) -> frozenset[Span]:
    return frozenset(stuck.event.stmt.span for stuck in run.halts)


def _matched(run: Run) -> bool:
    """True where each flag is set as often as it is waited for, under no unknown condition."""
    if any(not program.whole or any(map(_guarded, program.events)) for program in run.programs):
        return False
    cube, *vectors = run.programs
    return all(
        _count(cube, Kind.SIGNAL) + _count(vector, Kind.JOIN) == _count(vector, Kind.AWAIT)
        and _count(vector, Kind.SIGNAL) + _count(cube, Kind.OWN) == _count(cube, Kind.AWAIT)
        for vector in vectors
    )


def _guarded(event: Event) -> bool:
    return bool(event.branches) and event.kind in (Kind.SIGNAL, Kind.JOIN, Kind.OWN, Kind.AWAIT)


def _count(program: Program, kind: Kind) -> Counter[object]:
    found: Counter[object] = Counter()
    for event, count in program.uses(kind):
        found[event.flag] += count
    return found


def _passed(stuck: Stuck, run: Run) -> int:
    """How many waits a core has behind it."""
    events = run.programs[stuck.core].events[: stuck.order]
    return sum(event.kind is Kind.AWAIT for event in events)


def _tell(first: Stuck, run: Run, notes: tuple[str, ...], context: CheckContext) -> None:
    if first.core and first.event.flag in joined(run.programs):
        _tell_vectors(first, notes, context)
        return
    others = [stuck for stuck in run.halts if (stuck.core == 0) != (first.core == 0)]
    late = {other.core: _later(first.event.flag, other, run) for other in others}
    other = next((one for one in others if late[one.core] is not None), others[0])
    related = [Related(other.event.stmt.span, f"{_who(other)} waits for flag {other.event.flag}")]
    if (signal := late[other.core]) is not None:
        related.append(Related(signal.stmt.span, f"sets flag {first.event.flag}, behind that wait"))
    context.report.add(
        "cross-flag-unmatched",
        first.event.stmt.span,
        f"flag {first.event.flag}: {_who(first)} waits here, {_who(other)} for flag "
        f"{other.event.flag}, and each sets what the other waits for behind its own wait: both stand "
        "still for ever",
        notes=("One of the two has to set its flag before it waits.", *notes),
        related=tuple(related),
    )


def _tell_vectors(first: Stuck, notes: tuple[str, ...], context: CheckContext) -> None:
    context.report.add(
        "cross-flag-unmatched",
        first.event.stmt.span,
        f"flag {first.event.flag}: both vector cores wait here, each before it sets the flag: they "
        "stand still for ever",
        notes=("It is set when both have set it: set it before you wait for it.", *notes),
    )


def _later(flag: object, stuck: Stuck, run: Run) -> Event | None:
    """The next set of a flag behind a wait."""
    events = run.programs[stuck.core].events[stuck.order :]
    return next((e for e in events if e.kind is Kind.SIGNAL and e.flag == flag), None)


def _who(stuck: Stuck) -> str:
    return "a vector core" if stuck.core else "the cube core"
