"""Sets that nobody waits for, and those of a flag that is set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tl_ascend.checks.sync.events import PIPES, SCALAR, Event
from tl_ascend.checks.sync.execute import Executions, Run
from tl_ascend.checks.sync.outcome import Twice
from tl_ascend.checks.sync.places import Place
from tl_ascend.checks.sync.prime import Prime, drain
from tl_ascend.checks.sync.slots import Slot, wrong_slot
from tl_ascend.diagnostics.report import Fix
from tl_ascend.ir.expr import Expr, Var, walk
from tl_ascend.ir.nodes import Kernel, TileOp, regions_of, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show
from tl_ascend.source.span import Span

_LAST = 1 << 62
_MOST = 16  # executions that a repair of several places is tried in
Shows = Callable[[Run], bool]


@dataclass(frozen=True, slots=True)
class Lost:
    """A flag's call without its other half. `pipes`, `number`: of the flag; `written`: its id in the
    text, where it is computed; `order`: where the program stands when it shows; `call`: the one that is
    shown; `alone`: it is a wait, and of all ids that it names no other call is at fault; `fixes`: other
    repairs; `shows`: whether an execution shows it; `place`: where; `sure`: it does not depend on
    sizes, or holds for all from some on."""

    span: Span
    pipes: tuple[int, int]
    number: int
    text: str
    notes: tuple[str, ...] = ()
    related: tuple[tuple[Span, str], ...] = ()
    written: Expr | None = None
    order: int = _LAST
    fix: Prime | None = None
    call: TileOp | None = None
    alone: bool = False
    fixes: tuple[Fix, ...] = ()
    shows: Shows | None = field(default=None, compare=False)
    place: Place | None = None
    sure: bool = True

    def wait(self, beside: bool) -> str:
        """The call that waits for it. `beside`: where the id means the same as in the set."""
        source, target = (PIPES[number].value.lower() for number in self.pipes)
        number = self.number if self.written is None else show(self.written) if beside else "its id"
        return f'T.wait_flag("{source}", "{target}", {number})'


def lost_sets(found: Executions, kernel: Kernel) -> list[Lost]:
    """The sets that are alone in each execution that comes to them, the earliest first."""
    lost: dict[Span, Lost] = {}
    for runs in found.groups:
        if not all(program.whole for run in runs for program in run.programs):
            continue
        told = {(half.pipes, half.number) for half in lost.values()}
        for half in _alone(runs, kernel):
            if runs[0].place.first or (half.pipes, half.number) not in told:
                lost.setdefault(half.span, seen(half, runs, found))
    return sorted(lost.values(), key=lambda half: half.order)


def seen(half: Lost, runs: list[Run], found: Executions) -> Lost:
    """With where it is so. What repairs one place may be too much in another one."""
    fix = half.fix if half.fix is None or _everywhere(half.fix, runs, found) else None
    place = runs[0].place
    return replace(half, notes=(*half.notes, *place.notes), fix=fix, place=place)


def _everywhere(fix: Prime, runs: list[Run], found: Executions) -> bool:
    """True where a repair lets the core end in all places."""
    if len(found.places) == 1:
        return True
    every = [run for group in found.groups for run in group if run.core is runs[0].core]
    programs = [run.programs[0] for run in every if len(run.programs) == 1]
    known = all(program.whole and not program.open for program in programs)
    return known and len(programs) == len(every) <= _MOST and all(map(fix.helps, programs))


def _alone(runs: list[Run], kernel: Kernel) -> Iterator[Lost]:
    """The sets that are alone in each of several executions."""
    for twice in _always(runs, lambda run: run.outcome.doubled, lambda t: t.second):
        yield _twice(twice, _slot_of(twice, runs))
    left = [event for _, event in _always(runs, lambda r: r.outcome.left, lambda pair: pair[1])]
    left += [event for event in _kept(runs) if event not in left]
    for event in left:
        yield _set(event, _drain(event, runs, kernel))


def _drain(event: Event, runs: list[Run], kernel: Kernel) -> Prime | None:
    """What waits behind its loop for a set, and for others of that loop."""
    run = next(run for run in runs if any(e is event for _, e in run.outcome.left))
    core = next(core for core, e in run.outcome.left if e is event)
    left = [e for at, e in run.outcome.left if at == core and authors(e) and e is not event]
    if any(len(other.programs) != len(run.programs) for other in runs):
        return None
    others = [other.programs[core] for other in runs if other is not run]
    return drain(run.programs[core], [event, *left], kernel, others)


def _always(
    runs: list[Run], pick: Callable[[Run], Iterable[Any]], event_of: Callable[[Any], Event]
) -> list[Any]:
    """What is picked in each run that comes to its event, of flags of the author's."""
    picked: list[dict[Span, Any]] = []
    for run in runs:
        found: dict[Span, Any] = {}
        for one in pick(run):
            if authors(event_of(one)):
                found.setdefault(event_of(one).stmt.span, one)
        picked.append(found)
    candidates = {span: one for found in reversed(picked) for span, one in found.items()}
    return [
        one
        for span, one in candidates.items()
        if all(
            span in found or not comes_to(run, span)
            for run, found in zip(runs, picked, strict=True)
        )
    ]


def _kept(runs: list[Run]) -> Iterator[Event]:
    """Of flags that are still set at the end of each run that uses them, whichever set it is."""
    ended = [run for run in runs if not run.outcome.stuck]
    left = [{e.flag: e for _, e in run.outcome.left if authors(e)} for run in ended]
    for flag in dict.fromkeys(flag for found in left for flag in found):
        if all(
            flag in found or not _sets(run, flag) for run, found in zip(ended, left, strict=True)
        ):
            yield next(found[flag] for found in left if flag in found)


def _sets(run: Run, flag: object) -> bool:
    return any(e.flag == flag for program in run.programs for e in program.events)


def authors(event: Event) -> bool:
    """True for a flag of the author's."""
    flag: Any = event.flag
    return isinstance(flag, tuple) and flag[0] != "template"


def comes_to(run: Run, span: Span) -> bool:
    """True where a statement is executed."""
    return any(event.stmt.span == span for program in run.programs for event in program.events)


def reaches(run: Run, sought: Event) -> bool:
    """True where a pipe comes to a call with the same flag, and does not stand still before."""
    span = sought.stmt.span
    stops: dict[tuple[int, int], int] = {}
    for stuck in run.outcome.stuck:
        stops[stuck.core, stuck.event.pipe] = stuck.order
    for core, program in enumerate(run.programs):
        issued = stops.get((core, SCALAR), _LAST)
        for order, event in enumerate(program.events):
            last = min(issued, stops.get((core, event.pipe), _LAST))
            if event.stmt.span == span and event.flag == sought.flag and order <= last:
                return True
    return False


def names(event: Event) -> tuple[str, str, int]:
    """The pipes of a flag and its id."""
    flag: Any = event.flag
    source, target, number = flag
    return PIPES[source].value, PIPES[target].value, number


def _set(event: Event, repair: Prime | None) -> Lost:
    source, target, number = names(event)
    pipes: Any = event.flag
    assert isinstance(event.stmt, TileOp)
    ids = repair.ids if repair is not None else [number]
    calls = [f'T.wait_flag("{source.lower()}", "{target.lower()}", {n})' for n in ids]
    where = " behind the loop" if repair is not None else ""
    are, it = ("are", "they are") if len(ids) > 1 else ("is", "it is")
    return Lost(
        event.stmt.span,
        pipes[:2],
        number,
        f"{source}->{target} {ids_of(ids)} {are} set here, and nobody waits for "
        f"{'them' if len(ids) > 1 else 'it'}: {it} still set when the next launch begins",
        (f"Add {' and '.join(calls)}{where}, or take the set away.",),
        written=_written(event.stmt),
        fix=repair,
        shows=lambda run: any(e.flag == event.flag for _, e in run.outcome.left),
    )


def _written(call: TileOp) -> Expr | None:
    number = call.args[2]
    return number if isinstance(number, Expr) else None


def ids_of(ids: Sequence[int]) -> str:
    """`id 0`, `ids 0, 1 and 2`."""
    if len(ids) == 1:
        return f"id {ids[0]}"
    return f"ids {', '.join(map(str, ids[:-1]))} and {ids[-1]}"


def _slot_of(twice: Twice, runs: list[Run]) -> Slot | None:
    """The call that takes the wrong slot, where that is why a flag is set twice."""
    programs = [program for run in runs for program in run.programs]
    mine = (p for p in programs if any(event is twice.second for event in p.events))
    return wrong_slot(next(mine), twice.first.flag[:2])


def _twice(twice: Twice, slot: Slot | None) -> Lost:
    first, second = twice.first, twice.second
    source, target, number = names(first)
    pipes: Any = first.flag
    assert isinstance(second.stmt, TileOp)
    shown, text = second.stmt, f"{source}->{target} id {number} is set again"
    if slot is not None and slot.stmt.span != shown.span:
        uses = "set here" if slot.sets else "waited for here"
        shown = slot.stmt
        text = (
            f"{source}->{target}: id {slot.wrong} is {uses}, not id {slot.right}, so that id {number} "
            "is set again"
        )
    others = slot.related if slot is not None else ()
    likely = {shown.span, *(span for span, _ in others)}
    places = {first.stmt.span: "set before", second.stmt.span: "set again"}
    return Lost(
        shown.span,
        pipes[:2],
        number,
        f"{text} before anybody has waited for it",
        (
            *(() if slot is None else (slot.note,)),
            "A flag that is set twice without a wait is undefined.",
        ),
        (
            *((span, told) for span, told in places.items() if span not in likely),
            *others,
        ),
        written=_written(second.stmt),
        order=twice.order,
        call=second.stmt if slot is None else None,
        shows=lambda run: any(t.second.flag == first.flag for t in run.outcome.doubled),
        fixes=() if slot is None else slot.fixes,
    )


def of_wrong_index(half: Lost, kernel: Kernel, outside: set[int]) -> bool:
    """True where an id is computed like an index that leaves its buffer, which is told.
    `outside`: such buffers."""
    if not outside:
        return False
    body = kernel.body
    wrong = {
        start
        for stmt in walk_stmts(body)
        for region in regions_of(stmt)
        if root(region.buffer).uid in outside
        for start in region.starts
        if isinstance(start, Expr)
    }
    ids = [s.args[2] for s in walk_stmts(body) if isinstance(s, TileOp) and s.span == half.span]
    parts = ([one, *(e for e in walk(one) if not isinstance(e, Var))] for one in ids)
    return any(isinstance(e, Expr) and e in wrong for every in parts for e in every)
