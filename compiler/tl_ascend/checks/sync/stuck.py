"""Waits within a core that nobody ends, and which of several is the cause."""

from __future__ import annotations

from typing import Any

from tl_ascend.checks.sync.events import PIPES, SCALAR, Event, Kind, Program
from tl_ascend.checks.sync.execute import Executions, Run
from tl_ascend.checks.sync.halves import Lost, authors, ids_of, names, reaches, seen
from tl_ascend.checks.sync.idle import turned_round
from tl_ascend.checks.sync.ids import Odd, Uses, odd_id, unequal
from tl_ascend.checks.sync.outcome import Stuck
from tl_ascend.checks.sync.prime import prime
from tl_ascend.ir.nodes import Kernel, TileOp
from tl_ascend.ir.text import show
from tl_ascend.source.span import Span


def starved(found: Executions, kernel: Kernel) -> list[Lost]:
    """For each core that certainly stops, the wait (or the set with another id) at fault. A flag that
    stops a core in several places is told once."""
    lost: dict[object, Lost] = {}
    for runs in found.groups:
        waits = _always(runs)
        if waits:
            half = _cause(runs, waits, kernel)
            lost.setdefault((runs[0].core, half.pipes, half.number), seen(half, runs, found))
    return list(lost.values())


def _always(runs: list[Run]) -> list[Stuck]:
    """The author's waits that stop in each execution that comes to them."""
    ends = [{(s.event.stmt.span, s.event.flag): s for s in _certain(run)} for run in runs]
    if not ends:
        return []
    return [
        stuck
        for key, stuck in ends[0].items()
        if stuck.event.kind is Kind.WAIT
        and authors(stuck.event)
        and all(
            key in end or not reaches(run, stuck.event) for run, end in zip(runs, ends, strict=True)
        )
    ]


def _certain(run: Run) -> list[Stuck]:
    """What stands still whatever the program does later. Where only its beginning is known, that is
    what the scalar unit stands behind, and pipes that wait for each other."""
    every = run.outcome.stuck
    program = run.programs[0]
    if len(run.programs) != 1 or program.whole or not program.exact or run.outcome.halted:
        return every if program.whole or program.exact else []
    ring = {stuck.event.pipe: stuck for stuck in every}
    while True:
        free = [pipe for pipe, stuck in ring.items() if _setter(stuck.event) not in ring]
        if not free:
            return list(ring.values())
        for pipe in free:
            del ring[pipe]


def _setter(event: Event) -> Any:
    """The pipe that has to set what an event waits for."""
    if event.kind is not Kind.WAIT:
        return SCALAR
    flag: Any = event.flag
    return flag[0] if authors(event) else flag[1]


def _cause(runs: list[Run], waits: list[Stuck], kernel: Kernel) -> Lost:
    """Waits for flags that are set too rarely come first, then those before their set: the others
    stand behind these."""
    run = runs[0]
    program = run.programs[0]
    sets, asked = Uses.of(program, Kind.SET), Uses.of(program, Kind.WAIT)
    lacking, surplus = unequal(sets.totals, asked.totals)
    sure = {flag for flag in lacking if program.sure(flag) or not sets.totals[flag]}
    short = [s for s in waits if s.event.flag in sure]
    early = [s for s in waits if _before_its_set(s, program)]
    chosen = min(short or early or waits, key=lambda stuck: stuck.order)
    others = [s for s in waits if s is not chosen]
    flag: Any = chosen.event.flag
    pair = [f for f in surplus if f[:2] == flag[:2]]
    alone = [f for f in pair if _never_waited(f, runs)]
    turned = turned_round(chosen, program) if early and not short else None
    if turned is not None:
        return _turned(chosen, turned)
    if not short:
        odd = odd_id(flag, alone, sets, asked) if early else None
        return _odd_set(chosen, odd) if odd else _ring(chosen, others, run, kernel, bool(early))
    odd = odd_id(flag, [f for f in pair if program.sure(f) or f in alone], sets, asked)
    return _short(chosen, odd, sets, asked, run, kernel)


def _never_waited(flag: Any, runs: list[Run]) -> bool:
    """True where each execution is known to its end, and waits for a flag in none."""
    programs = [run.programs[0] for run in runs]
    return all(
        program.whole and not any(e.flag == flag for e, _ in program.uses(Kind.WAIT))
        for program in programs
    )


def _before_its_set(stuck: Stuck, program: Program) -> bool:
    """True where not enough sets stand before a wait."""
    flag = stuck.event.flag
    sets = waits = 0
    for event in program.events[: stuck.order + 1]:
        if event.flag == flag:
            sets += event.kind is Kind.SET
            waits += event.kind is Kind.WAIT
    return waits > sets


def _short(
    stuck: Stuck, odd: Odd | None, sets: Uses, waits: Uses, run: Run, kernel: Kernel
) -> Lost:
    """A flag that is set too rarely."""
    if odd is not None and odd.sets:
        return _odd_set(stuck, odd)
    source, target, number = names(stuck.event)
    flag: Any = stuck.event.flag
    text, related = _lack(flag, sets, waits)
    wait, every = stuck.event.stmt, _all_lack(stuck, sets, waits)
    assert isinstance(wait, TileOp)
    shown = show(wait.args[2]) if every else number
    call = f'T.set_flag("{source.lower()}", "{target.lower()}", {shown})'
    note = f"Add {call} behind what has to be done before."
    swapped = (flag[1], flag[0], flag[2])
    turned = odd is None and sets.totals[swapped] > waits.totals[swapped]
    if turned:
        other = sets.stmts(swapped)[0]
        related = (*related, (other.span, f"sets {target}->{source}, which nobody waits for"))
        note = f"Turn the pipes of that set round: {call}."
    if odd is not None and odd.other is not None:
        spare = next(f for f in sets.totals if odd.other in sets.stmts(f))
        seldom = "less often" if waits.totals[spare] else "never"
        unused = f"this set is waited for {seldom}: {source}->{target} id {spare[2]}"
        related = ((odd.other.span, unused),)
        note = f"Wait for id {spare[2]}, as it is set, or set id {number}."
    return Lost(
        (odd.stmt if odd is not None else stuck.event.stmt).span,
        flag[:2],
        number,
        f"{source}->{target} id {number}: {text}, so {target} stands still for ever",
        (note,),
        related,
        fix=None if odd is not None else prime(run.programs[0], stuck, kernel),
        call=wait,
        alone=odd is None and not turned and (every or isinstance(wait.args[2], int)),
    )


def _all_lack(stuck: Stuck, sets: Uses, waits: Uses) -> bool:
    """True where a wait computes its id, and all ids that it takes are set too rarely."""
    mine = [flag for flag in waits.totals if stuck.event.stmt in waits.stmts(flag)]
    return len(mine) > 1 and all(waits.totals[f] > sets.totals[f] for f in mine)


def _lack(flag: Any, sets: Uses, waits: Uses) -> tuple[str, tuple[tuple[Span, str], ...]]:
    """How a flag falls short, and the sets that it has."""
    if not sets.totals[flag]:
        return "nobody sets the flag that is waited for here", ()
    more = waits.totals[flag] - sets.totals[flag]
    return (
        f"this is waited for {_times(more)} more often than it is set",
        tuple((stmt.span, "sets it") for stmt in sets.stmts(flag)[:2]),
    )


def _turned(stuck: Stuck, idle: Event) -> Lost:
    source, target, number = names(stuck.event)
    flag: Any = idle.flag
    return Lost(
        idle.stmt.span,
        flag[:2],
        number,
        f"{target}->{source} id {number} is set here before {target} has done anything; "
        f"{source}->{target} id {number} is waited for before its set, so {target} stands still for "
        "ever",
        (f"Turn it round, with its wait: what lets the first wait through is {source}->{target}.",),
        ((stuck.event.stmt.span, f"waits for {source}->{target} id {number}"),),
    )


def _odd_set(stuck: Stuck, odd: Odd) -> Lost:
    source, target, number = names(stuck.event)
    return Lost(
        odd.stmt.span,
        odd.flag[:2],
        odd.flag[2],
        f"{source}->{target} id {odd.flag[2]} is set here, and nobody waits for it; id {number} is "
        f"waited for, and set too rarely, so {target} stands still for ever",
        (f"Set id {number}, as it is waited for.",),
        ((stuck.event.stmt.span, f"waits for id {number}"),),
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _ring(stuck: Stuck, others: list[Stuck], run: Run, kernel: Kernel, early: bool) -> Lost:
    """Pipes that wait for each other, with as many sets as waits."""
    source, target, number = names(stuck.event)
    fix = prime(run.programs[0], stuck, kernel) if early else None
    ids = fix.ids if fix is not None else [number]
    behind = [PIPES[other.event.pipe].value for other in others]
    also = f", and {' and '.join(behind)} behind it" if behind else ""
    when = "the wait comes before its set" if early else f"{source} waits, too, before it sets this"
    flag: Any = stuck.event.flag
    return Lost(
        stuck.event.stmt.span,
        flag[:2],
        number,
        f"{source}->{target} {ids_of(ids)}: {when}, so {target} stands still for ever{also}",
        ("Set the flag once before, for each id, and wait for it once behind the loop.",),
        tuple((other.event.stmt.span, "waits for ever, too") for other in others),
        fix=fix,
    )
