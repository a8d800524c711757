"""Flags that lack their other half: waits that nobody ends, sets that nobody waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tl_ascend.checks.sync.events import PIPES, Event, Kind
from tl_ascend.checks.sync.execute import Executions, Run
from tl_ascend.ir.nodes import TileOp
from tl_ascend.source.span import Span


@dataclass(frozen=True, slots=True)
class Lost:
    """`pipes`, `number`: of the flag. `waits`: it is a wait, and the core stops there;
    `turns`: its id is computed."""

    span: Span
    pipes: tuple[int, int]
    number: int
    waits: bool
    text: str
    notes: tuple[str, ...] = ()
    related: tuple[tuple[Span, str], ...] = ()
    turns: bool = False

    @property
    def wait(self) -> str:
        """The call that waits for it."""
        source, target = (PIPES[number].value.lower() for number in self.pipes)
        return f'T.wait_flag("{source}", "{target}", {"its id" if self.turns else self.number})'


def lost_halves(found: Executions) -> list[Lost]:
    """The halves that are alone in each execution that comes to them."""
    lost: dict[Span, Lost] = {}
    for runs in (found.together, *found.cores.values()):
        if not all(program.whole for run in runs for program in run.programs):
            continue
        stuck = _always(runs, lambda run: [event for _, event in run.outcome.stuck])
        left = _always(runs, lambda run: [event for _, event in run.outcome.left])
        for event in stuck:
            if event.kind is Kind.WAIT:
                lost.setdefault(event.stmt.span, _wait(event, left))
        for event in left if not stuck else ():
            lost.setdefault(event.stmt.span, _set(event))
        for run in runs if not stuck else ():
            for first, second in run.outcome.doubled:
                if authors(first) and _always(runs, _second_sets, first):
                    lost.setdefault(first.stmt.span, _twice(first, second))
    return list(lost.values())


def _second_sets(run: Run) -> list[Event]:
    return [first for first, _ in run.outcome.doubled]


def _always(
    runs: list[Run], pick: Callable[[Run], Iterable[Event]], only: Event | None = None
) -> list[Event]:
    """Events that are picked in each run that comes to them."""
    picked = [{event.stmt.span: event for event in pick(run) if authors(event)} for run in runs]
    candidates = {span: event for events in picked for span, event in events.items()}
    if only is not None:
        candidates = {s: e for s, e in candidates.items() if s == only.stmt.span}
    found = []
    for span, event in candidates.items():
        if all(
            span in events or not _comes_to(run, span)
            for run, events in zip(runs, picked, strict=True)
        ):
            found.append(event)
    return found


def authors(event: Event) -> bool:
    """True for a flag of the author's."""
    flag: Any = event.flag
    return isinstance(flag, tuple) and flag[0] != "template"


def _comes_to(run: Run, span: Span) -> bool:
    return any(event.stmt.span == span for program in run.programs for event in program.events)


def _names(event: Event) -> tuple[str, str, int]:
    flag: Any = event.flag
    source, target, number = flag
    return PIPES[source].value, PIPES[target].value, number


def _wait(event: Event, left: list[Event]) -> Lost:
    source, target, number = _names(event)
    pipes: Any = event.flag
    related = tuple(
        (other.stmt.span, "this set is never waited for: {}->{} id {}".format(*_names(other)))
        for other in left
    )
    return Lost(
        event.stmt.span,
        pipes[:2],
        number,
        True,
        f"{source}->{target} id {number}: nobody sets the flag that is waited for here, so {target} "
        "stands still for ever",
        (
            f'Add T.set_flag("{source.lower()}", "{target.lower()}", {number}) behind what has to be '
            "done before.",
        ),
        related,
    )


def _set(event: Event) -> Lost:
    source, target, number = _names(event)
    pipes: Any = event.flag
    assert isinstance(event.stmt, TileOp)
    return Lost(
        event.stmt.span,
        pipes[:2],
        number,
        False,
        f"{source}->{target} id {number} is set here, and nobody waits for it: it is still set when "
        "the next launch begins",
        (
            f'Add T.wait_flag("{source.lower()}", "{target.lower()}", {number}), or take the set away.',
        ),
        turns=not isinstance(event.stmt.args[2], int),
    )


def _twice(first: Event, second: Event) -> Lost:
    source, target, number = _names(first)
    pipes: Any = first.flag
    return Lost(
        second.stmt.span,
        pipes[:2],
        number,
        False,
        f"{source}->{target} id {number} is set again before anybody has waited for it",
        ("A flag that is set twice without a wait is undefined.",),
        ((first.stmt.span, "set before"),) if first.stmt is not second.stmt else (),
    )
