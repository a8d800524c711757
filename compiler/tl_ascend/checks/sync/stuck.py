"""Waits within a core that nobody ends, and which of several is the cause."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from tl_ascend.checks.sync.events import PIPES, SCALAR, Event, Kind, Program
from tl_ascend.checks.sync.execute import Executions, Followed, Run
from tl_ascend.checks.sync.halves import Lost, authors, ids_of, names, reaches, seen
from tl_ascend.checks.sync.idle import turned_round
from tl_ascend.checks.sync.ids import Odd, Uses, odd_id, unequal
from tl_ascend.checks.sync.outcome import Stuck
from tl_ascend.checks.sync.prime import Prime, prime
from tl_ascend.checks.sync.sized import alone
from tl_ascend.checks.sync.slots import MOST_OTHERS, Slot, can_be_tried, spare_wait, wrong_slot
from tl_ascend.checks.sync.swapped import Swapped, swapped
from tl_ascend.ir.nodes import Kernel, Stmt, TileOp
from tl_ascend.ir.text import show
from tl_ascend.source.span import Span


def starved(found: Executions, kernel: Kernel) -> list[Lost]:
    """For each core that certainly stops, the wait (or the set with another id) at fault. A flag that
    stops a core in several places is told once."""
    lost: dict[object, Lost] = {}
    for followed in found.places:
        for every in followed.groups:
            runs, waits = _stopped(every, followed, kernel)
            if waits:
                half = seen(_cause(runs, waits, kernel, _elsewhere(runs, found)), runs, found)
                flags = {stuck.event.flag for stuck in waits}
                sure = runs is every or len(runs) > 1 or len(every) == 1
                half = replace(half, shows=partial(_shows, flags), sure=sure)
                if half.span not in {other.span for other in lost.values()}:
                    lost.setdefault((runs[0].core, half.pipes, half.number), half)
    return list(lost.values())


def _elsewhere(runs: list[Run], found: Executions) -> list[Program]:
    """What the same core does in some other blocks and with other sizes."""
    others = [run for group in found.groups for run in group if run.core is runs[0].core]
    programs = [run.programs[0] for run in others if run is not runs[0]]
    return [program for program in programs if can_be_tried(program)][:MOST_OTHERS]


def _stopped(runs: list[Run], followed: Followed, kernel: Kernel) -> tuple[list[Run], list[Stuck]]:
    """The waits that stop in each execution; where sizes alone decide, in each of those from some size
    on, the smallest first."""
    waits = _always(runs)
    if waits or not all(map(_of_sizes, runs)):
        return runs, waits
    ordered = sorted(runs, key=lambda run: run.size)
    for least in range(1, len(ordered) - 1):
        waits = _always(ordered[least:])
        shows = partial(_shows, {stuck.event.flag for stuck in waits})
        if waits and alone(ordered, followed, kernel, shows):
            return ordered[least:], waits
    return _of_wrong_slot(ordered)


def _of_wrong_slot(runs: list[Run]) -> tuple[list[Run], list[Stuck]]:
    """The first execution that stops, where a call of a ring takes the wrong slot, with the right one of
    which all of them end."""
    for run in runs:
        waits = _always([run])
        pipes = {stuck.event.flag[:2] for stuck in waits}
        for pair in pipes:
            slot = wrong_slot(run.programs[0], pair)
            if slot is not None and slot.computed:
                if all(slot.mends(other.programs[0]) for other in runs):
                    return [run], [stuck for stuck in waits if stuck.event.flag[:2] == pair]
    return runs, []


def _of_sizes(run: Run) -> bool:
    return all(program.whole and not program.open for program in run.programs)


def _shows(flags: set[Any], run: Run) -> bool:
    """True where waits for these flags stop."""
    return flags <= {stuck.event.flag for stuck in _certain(run)}


def _always(runs: list[Run]) -> list[Stuck]:
    """The author's waits that stop in each execution that comes to them, or another one for their flag
    does."""
    ends = [{(s.event.stmt.span, s.event.flag): s for s in _certain(run)} for run in runs]
    if not ends:
        return []
    stopped = [{flag for _, flag in end} for end in ends]
    return [
        stuck
        for key, stuck in ends[0].items()
        if stuck.event.kind is Kind.WAIT
        and authors(stuck.event)
        and all(
            key[1] in flags or not reaches(run, stuck.event)
            for run, flags in zip(runs, stopped, strict=True)
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


def _cause(runs: list[Run], waits: list[Stuck], kernel: Kernel, elsewhere: list[Program]) -> Lost:
    """Waits for flags that are set too rarely come first, then those before their set: the others
    stand behind these. `elsewhere`: what other blocks do."""
    run = runs[0]
    program = run.programs[0]
    sets, asked = Uses.of(program, Kind.SET), Uses.of(program, Kind.WAIT)
    lacking, surplus = unequal(sets.totals, asked.totals)
    sure = {
        flag
        for flag in lacking
        if program.sure(flag) or not sets.totals[flag] or _lacks(flag, runs, waits)
    }
    short = [s for s in waits if s.event.flag in sure]
    early = [s for s in waits if _before_its_set(s, program)]
    chosen = min(short or early or waits, key=lambda stuck: stuck.order)
    others = [s for s in waits if s is not chosen]
    flag: Any = chosen.event.flag
    pair = [f for f in surplus if f[:2] == flag[:2]]
    alone = [f for f in pair if _never_waited(f, runs)]
    slot = wrong_slot(program, flag[:2], elsewhere)
    if slot is not None and slot.computed:
        return _wrong_slot(chosen, slot)
    back = swapped([run.programs[0] for run in runs], flag, elsewhere)
    if back is not None:
        return _swapped(chosen, back)
    turned = turned_round(chosen, program) if early and not short else None
    if turned is not None:
        return _turned(chosen, turned)
    if not short:
        odd = odd_id(flag, alone, sets, asked) if early else None
        if slot is not None and _sure_of(slot, odd, sets, asked):
            return _wrong_slot(chosen, slot)
        return (
            _odd_set(chosen, odd, slot) if odd else _ring(chosen, others, runs, kernel, bool(early))
        )
    odd = odd_id(flag, [f for f in pair if program.sure(f) or f in alone], sets, asked)
    if slot is not None and _sure_of(slot, odd, sets, asked):
        return _wrong_slot(chosen, slot)
    return _short(chosen, odd, slot, (sets, asked), runs, kernel)


def _sure_of(slot: Slot, odd: Odd | None, sets: Uses, waits: Uses) -> bool:
    """True where the call whose id is odd by its number is none with whose id all is right, or has
    halves elsewhere."""
    if odd is None or not slot.among(odd.stmt.span):
        return True
    return bool((waits if odd.sets else sets).totals[odd.flag])


def _prime(runs: list[Run], stuck: Stuck, kernel: Kernel) -> Prime | None:
    program, *others = (run.programs[0] for run in runs)
    return prime(program, stuck, kernel, others)


def _lacks(flag: Any, runs: list[Run], waits: list[Stuck]) -> bool:
    """True where sizes alone decide, a flag is not set as often as it is waited for, and no set once
    before would do."""
    counts = []
    for run in (one for one in runs if _shows({flag}, one)):
        sets, asked = (Uses.of(run.programs[0], kind) for kind in (Kind.SET, Kind.WAIT))
        counts.append(asked.totals[flag] - sets.totals[flag])
    if not all(map(_of_sizes, runs)) or min(counts, default=0) <= 0:
        return False
    last = max((s.order for s in waits if s.event.flag == flag), default=-1)
    events = runs[0].programs[0].events[last + 1 :]
    return len(set(counts)) > 1 or not any(e.kind is Kind.SET and e.flag == flag for e in events)


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
    stuck: Stuck,
    odd: Odd | None,
    slot: Slot | None,
    uses: tuple[Uses, Uses],
    runs: list[Run],
    kernel: Kernel,
) -> Lost:
    """A flag that is set too rarely."""
    if odd is not None and odd.sets:
        return _odd_set(stuck, odd, slot)
    sets, waits = uses
    source, target, number = names(stuck.event)
    flag: Any = stuck.event.flag
    program = runs[0].programs[0]
    text, related = _lack(flag, sets, waits, program.sure(flag))
    wait, every = stuck.event.stmt, _all_lack(stuck, sets, waits)
    assert isinstance(wait, TileOp)
    shown = show(wait.args[2]) if every else number
    call = f'T.set_flag("{source.lower()}", "{target.lower()}", {shown})'
    primed = None if odd is not None else _prime(runs, stuck, kernel)
    before = "behind what has to be done before" if primed is None else "once before the loop"
    note = f"Add {call} {before}."
    spare = spare_wait(program, flag[:2]) if odd is None else None
    if spare is not None and spare.stmt.span == stuck.event.stmt.span:
        spare = None
    if spare is not None:
        related = (*related, (spare.stmt.span, "without this wait each finds its set"))
    opposite = (flag[1], flag[0], flag[2])
    turned = odd is None and sets.totals[opposite] > waits.totals[opposite]
    if turned and not can_be_tried(program):
        back = _last_set(opposite, stuck, program) or sets.stmts(opposite)[0]
        related = (*related, (back.span, f"sets {target}->{source}, which nobody waits for"))
        note = f"Turn the pipes of that set round: {call}."
    if odd is not None and odd.other is not None:
        other = next(f for f in sets.totals if odd.other in sets.stmts(f))
        seldom = "less often" if waits.totals[other] else "never"
        unused = f"this set is waited for {seldom}: {source}->{target} id {other[2]}"
        related = ((odd.other.span, unused),)
        note = f"Wait for id {other[2]}, as it is set, or set id {number}."
    return Lost(
        (odd.stmt if odd is not None else stuck.event.stmt).span,
        flag[:2],
        number,
        f"{source}->{target} id {number}: {text}, so {target} stands still for ever",
        (note,),
        related,
        fix=primed,
        fixes=slot.fixes if slot is not None and odd is not None and slot.stmt is odd.stmt else (),
        call=wait,
        alone=odd is None and not turned and not spare and (every or isinstance(wait.args[2], int)),
    )


def _all_lack(stuck: Stuck, sets: Uses, waits: Uses) -> bool:
    """True where a wait computes its id, and all ids that it takes are set too rarely."""
    mine = [flag for flag in waits.totals if stuck.event.stmt in waits.stmts(flag)]
    return len(mine) > 1 and all(waits.totals[f] > sets.totals[f] for f in mine)


def _lack(
    flag: Any, sets: Uses, waits: Uses, sure: bool
) -> tuple[str, tuple[tuple[Span, str], ...]]:
    """How a flag falls short, and the sets that it has."""
    if not sets.totals[flag]:
        return "nobody sets the flag that is waited for here", ()
    more = waits.totals[flag] - sets.totals[flag]
    return (
        f"this is waited for {_times(more) if sure else ''}more often than it is set",
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


def _last_set(flag: Any, stuck: Stuck, program: Program) -> Stmt | None:
    """The set of a flag that stands last before a wait."""
    before = program.events[: stuck.order]
    sets = (e.stmt for e in reversed(before) if e.kind is Kind.SET and e.flag == flag)
    return next(sets, None)


def _swapped(stuck: Stuck, back: Swapped) -> Lost:
    source, target, number = names(stuck.event)
    stmt, (first, second, own) = back.stmt, names(back.event)
    here, there = ("set", "waited for") if back.sets else ("waited for", "set")
    name = "set_flag" if back.sets else "wait_flag"
    words = (f'"{word}"' for word in reversed(stmt.args[:2]))
    waits = stuck.event.stmt.span, f"waits for {source}->{target} id {number}, and stands still"
    shown = stmt.span, *(event.stmt.span for event in back.others)
    return Lost(
        stmt.span,
        stuck.event.flag[:2],
        number,
        f"{first}->{second} id {own} is {here} here where {second}->{first} is {there}, so {target} "
        "stands still for ever",
        (f"Turn the pipes round: T.{name}({', '.join(words)}, {show(stmt.args[2])}).",),
        (
            *((waits,) if waits[0] not in shown else ()),
            *((event.stmt.span, "or turn this one round") for event in back.others),
        ),
        fixes=back.fixes,
    )


def _wrong_slot(stuck: Stuck, slot: Slot) -> Lost:
    source, target, number = names(stuck.event)
    uses = "is set" if slot.sets else "is waited for"
    lacks = "waited for" if slot.sets else "set"
    waits = stuck.event.stmt.span, f"waits for id {number}, and stands still"
    shown = slot.stmt.span, *(span for span, _ in slot.related)
    return Lost(
        slot.stmt.span,
        stuck.event.flag[:2],
        number,
        f"{source}->{target} id {slot.wrong} {uses} here where id {slot.right} is {lacks}, so {target} "
        "stands still for ever",
        (slot.note,),
        slot.related if waits[0] in shown else (waits, *slot.related),
        fixes=slot.fixes,
    )


def _odd_set(stuck: Stuck, odd: Odd, slot: Slot | None) -> Lost:
    source, target, number = names(stuck.event)
    return Lost(
        odd.stmt.span,
        odd.flag[:2],
        odd.flag[2],
        f"{source}->{target} id {odd.flag[2]} is set here, and nobody waits for it; id {number} is "
        f"waited for, and set too rarely, so {target} stands still for ever",
        (f"Set id {number}, as it is waited for.",),
        ((stuck.event.stmt.span, f"waits for id {number}"),),
        fixes=slot.fixes if slot is not None and slot.stmt is odd.stmt else (),
    )


def _times(number: int) -> str:
    return "once " if number == 1 else f"{number} times "


def _ring(stuck: Stuck, others: list[Stuck], runs: list[Run], kernel: Kernel, early: bool) -> Lost:
    """Pipes that wait for each other, with as many sets as waits."""
    source, target, number = names(stuck.event)
    fix = _prime(runs, stuck, kernel) if early else None
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
