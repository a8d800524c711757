"""Says what manual synchronisation lacks: pairs of accesses that nothing orders, and flags without
their other half."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.pipes import NO_FLAG
from tl_ascend.checks.sync.across import advice
from tl_ascend.checks.sync.alike import one_each
from tl_ascend.checks.sync.apart import apart, one_barrier
from tl_ascend.checks.sync.between import Ways, left_set, unmatched, ways
from tl_ascend.checks.sync.chain import broken, over
from tl_ascend.checks.sync.events import PIPES, SCALAR, Event, Program
from tl_ascend.checks.sync.execute import Executions, crosses, execute, flagged, loose_pairs
from tl_ascend.checks.sync.faults import Fault, merged, unordered_pairs
from tl_ascend.checks.sync.halves import Lost, lost_sets, names, of_wrong_index
from tl_ascend.checks.sync.idle import too_early
from tl_ascend.checks.sync.mutual import standstill
from tl_ascend.checks.sync.one_branch import one_branch
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.checks.sync.proof import proved, without
from tl_ascend.checks.sync.repair import Repairs
from tl_ascend.checks.sync.sized import Sizes
from tl_ascend.checks.sync.stuck import starved
from tl_ascend.checks.sync.unset import tell_unset
from tl_ascend.checks.sync.words import Words
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Fix, Related
from tl_ascend.ir.nodes import (
    AUTO_CV_SYNC,
    AUTO_SYNC,
    CoreScope,
    Kernel,
    TileOp,
    walk_stmts,
)
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.switches import switched_on
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import FLAG_PAIRS


def synchronisation(context: CheckContext) -> None:
    """What the author's flags and barriers leave open."""
    repairs, report = Repairs(context.before, context.after), context.report
    told = len(report.findings)
    _look(context, repairs)
    if repairs.tried:
        again = partial(_look, repairs=Repairs(context.before, context.after))
        report.findings[told:] = proved(report.findings[told:], repairs.tried, context, again)


def _look(context: CheckContext, repairs: Repairs) -> None:
    """Flags that stop everything come first; what else is found then may be their doing."""
    kernel = context.after
    flags = _by_hand(kernel)
    if kernel.launch is None or not (flags or _left_to_author(kernel)):
        return
    causes = (cause for finding in context.report.findings for cause in finding.causes)
    if any(isinstance(cause, tuple) and cause[:1] == (NO_FLAG,) for cause in causes):
        return  # which flags were meant, nobody knows
    found = execute(kernel)
    sizes = Sizes(kernel, found)
    repairs.costly = not all(place.short for place in found.places)
    between = [ways(place, kernel) for place in found.places if found.crosses]
    stopped = any(unmatched(every, context) for every in between)
    waits = [wait for wait in starved(found, kernel) if wait.span in flags]
    doubtful = [wait for wait in waits if not wait.sure]
    waits = one_each(wait for wait in waits if wait.sure)
    for wait in waits:
        if of_wrong_index(wait, kernel, context.outside):
            continue
        _tell_lost(*_set_again(wait, repairs, kernel), sizes, context)
    stopped = stopped or bool(waits)
    # A set of a flag that does not exist explains whatever the other core waits for.
    wrong = any(finding.name == "cross-flag-id" for finding in context.report.findings)
    if stopped or wrong or any(standstill(place, context) for place in found.places):
        return
    told = len(context.report.findings)
    lost = [half for half in lost_sets(found, kernel) if half.span in flags]
    lost = [half for half in lost if not of_wrong_index(half, kernel, context.outside)]
    _unordered(sizes, lost, between, repairs, context)
    if len(context.report.findings) == told:
        for wait in doubtful[:1]:
            _tell_lost(wait, (), sizes, context)
    if len(context.report.findings) == told:
        tell_unset(sizes, context)
    if not any(finding.name == "core-race" for finding in context.report.findings[told:]):
        any(left_set(every, context) for every in between)
    if len(context.report.findings) == told and any(p.guessed for p in _first(found)):
        one_branch(context)


def _first(found: Executions) -> list[Program]:
    """What the cores do in the first place, if any code runs."""
    return [p for place in found.places[:1] for one in place.programs[:1] for p in one.values()]


def _by_hand(kernel: Kernel) -> set[Span]:
    """The author's calls that set flags within a core, or wait for them."""
    return {
        stmt.span
        for stmt in walk_stmts(kernel.body)
        if isinstance(stmt, TileOp) and stmt.op in ("set_flag", "wait_flag") and not stmt.reason
    }


def _left_to_author(kernel: Kernel) -> bool:
    """True where the author has to order pipes, or cores."""
    return not kernel.options.on(AUTO_SYNC) or crosses(kernel)


def _unordered(
    sizes: Sizes,
    lost: list[Lost],
    between: Sequence[Sequence[Ways]],
    repairs: Repairs,
    context: CheckContext,
) -> None:
    """Accesses that nothing orders, and sets without a wait: of these two the one that shows first,
    where one explains the other."""
    kernel, found = context.after, sizes.found
    words = Words(kernel)
    faults = merged(unordered_pairs(found, kernel, context))
    if not all(fault.own for fault in faults):
        faults = [fault for fault in faults if not fault.own]  # they may be why
    if not repairs.costly and not lost:
        faults = _of_one_barrier(faults, kernel)
    across = [fault for fault in faults if fault.across and fault.more]
    for fault in across:
        told = apart((fault.pair, *fault.more), kernel, words.free_between())
        at = faults.index(fault)
        faults[at : at + 1] = [Fault(first, fault.place, more, fault.bare) for first, *more in told]
    first = lost[0] if lost else None
    mine = [fault for fault in faults if first is not None and _explains(first, fault)]
    if first is not None and all(first.order < fault.pair.order for fault in mine):
        behind = broken(first, faults, kernel) if not mine else []
        alone = over(first, behind[0]) if behind else _guarding(first, mine, words, repairs)
        _tell_lost(alone, (), sizes, context)
        faults = [fault for fault in faults if fault not in (*mine, *behind)]
    for fault in faults:
        idle = too_early(fault.pair, found)
        if idle is not None:
            _tell_idle(idle, fault, words, sizes, context)
        elif fault.own:
            _tell_copies(fault, words, repairs, sizes, context)
        elif fault.across:
            _tell_across(fault, between, words, sizes, context)
        else:
            _tell(fault, lost, words, repairs, sizes, context)


def _of_one_barrier(faults: list[Fault], kernel: Kernel) -> list[Fault]:
    """One fault, where a single barrier would order what several lack."""
    if len(faults) < 2 or any(fault.across or fault.own or fault.bare for fault in faults):
        return faults
    pairs = [pair for fault in faults for pair in (fault.pair, *fault.more)]
    chosen = one_barrier(pairs, kernel)
    if chosen is None:
        return faults
    rest = [pair for pair in pairs if pair is not chosen]
    return [Fault(chosen, faults[0].place, rest, barrier=True)]


def _guarding(half: Lost, faults: list[Fault], words: Words, repairs: Repairs) -> Lost:
    """A set that nobody waits for, with where the wait belongs: before what nothing orders."""
    pair = next((fault.pair for fault in faults if not fault.across), None)
    if pair is None or pair.pipes != half.pipes:
        stmt, fixes = repairs.before(None, half)
        if stmt is None:
            return half
        pipe = PIPES[half.pipes[1]].value
        where = f"The wait belongs before {words.of(stmt)}, the first work of {pipe} here."
        after = stmt.span, "the wait belongs before this"
    else:
        _, fixes = repairs.before(pair.after.stmt.span, half)
        name, does = pair.second.buffer.name, "writes" if pair.second.write else "reads"
        where = (
            f"The wait belongs before {words.of(pair.after.stmt)}, which {does} {name} too early."
        )
        after = (
            pair.after.stmt.span,
            f"{PIPES[pair.pipes[1]].value} {does} {name} without waiting",
        )
    return replace(
        half,
        notes=(where, *half.notes),
        related=(*half.related, after),
        fixes=(*half.fixes, *fixes),
    )


def _explains(half: Lost, fault: Fault) -> bool:
    """True where a set that nobody waits for may be why accesses have no order."""
    return any(pair.pipes == half.pipes or _of(half, pair) for pair in (fault.pair, *fault.more))


def _of(half: Lost, pair: Pair) -> bool:
    """True where a set between the same pipes would order a pair."""
    return pair.half is not None and pair.half.flag[:2] == half.pipes


def _tell(
    fault: Fault,
    lost: list[Lost],
    words: Words,
    repairs: Repairs,
    sizes: Sizes,
    context: CheckContext,
) -> None:
    pair = fault.pair
    source, target = (PIPES[number] for number in pair.pipes)
    half = next((h for h in lost if _of(h, pair)), None)
    half = half or next((h for h in lost if h.pipes == pair.pipes), None)
    also = [Related(half.span, "set, and never waited for")] if half is not None else []
    context.report.add(
        "sync-missing",
        pair.after.stmt.span,
        _told(pair, words),
        notes=(
            *(
                ("Add T.barrier_all() before this: it orders all that is loose here.",)
                if fault.barrier
                else words.advice(pair, half, (source, target) in FLAG_PAIRS)
            ),
            *fault.notes(sizes),
        ),
        related=_related(fault, also, words),
        fixes=_fixes(fault, half, words, repairs, context.before),
        severity=Severity.INFO if pair.pipes[0] == SCALAR else None,
    )


def _tell_copies(
    fault: Fault, words: Words, repairs: Repairs, sizes: Sizes, context: CheckContext
) -> None:
    """Copies of one pipe to the same place."""
    pair, pipe = fault.pair, PIPES[fault.pair.pipes[1]].value
    name, earlier = pair.second.buffer.name, words.of(pair.before.stmt)
    if pair.before.stmt is pair.after.stmt:
        earlier += " of an earlier iteration"
    context.report.add(
        "sync-missing",
        pair.after.stmt.span,
        f"{name}: {pipe} writes it here, and in part the same of it in {earlier}; one copy may overtake "
        "the other",
        notes=(
            f'Add T.pipe_barrier("{pipe.lower()}") between the two: CANN asks for it where copies of '
            f"{pipe} write to the same place.",
            *fault.notes(sizes),
        ),
        related=_related(fault, (), words),
        fixes=repairs.barrier(pair),
    )


def _tell_across(
    fault: Fault,
    between: Sequence[Sequence[Ways]],
    words: Words,
    sizes: Sizes,
    context: CheckContext,
) -> None:
    found = advice((fault.pair, *fault.more), between, words, context.after)
    pair = found.pair
    if pair is not fault.pair:
        more = [other for other in (fault.pair, *fault.more) if other is not pair]
        fault = Fault(pair, fault.place, more)
    context.report.add(
        "core-race",
        pair.after.stmt.span,
        _told(pair, words),
        notes=(*(_left_out() if _split(context.after) else found.notes), *fault.notes(sizes)),
        related=_related(fault, found.related, words),
        severity=Severity.INFO if pair.pipes[0] == SCALAR else None,
    )


def _split(kernel: Kernel) -> bool:
    """True where the compiler has found the halves, and no flag leads from one to the other."""
    scopes = (stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, CoreScope))
    return not flagged(kernel) and any(scope.inferred for scope in scopes)


def _left_out() -> tuple[str, ...]:
    return (
        "No flag leads from one half of the core to the other: have the compiler put them there, with "
        f"{AUTO_CV_SYNC}, or write T.Scope for each half, and the flags in it.",
    )


def _told(pair: Pair, words: Words) -> str:
    source, target = (PIPES[number].value for number in pair.pipes)
    done = "writes" if pair.first.write else "reads"
    does = "writes" if pair.second.write else "reads"
    where = words.sides(pair) if pair.cores[0] != pair.cores[1] else ("", "")
    earlier = " of an earlier iteration" if words.carried(pair) else ""
    it = "it" if pair.alike else f"{pair.first.buffer.name} of the same bytes"
    return (
        f"{pair.second.buffer.name}: {target}{where[0]} {does} it here, {source}{where[1]} {done} {it} "
        f"in {words.of(pair.before.stmt)}{earlier}, and nothing makes {target} wait"
    )


def _related(fault: Fault, also: Iterable[Related], words: Words) -> tuple[Related, ...]:
    pair = fault.pair
    done = "writes" if pair.first.write else "reads"
    source, name = PIPES[pair.pipes[0]].value, pair.first.buffer.name
    others = [Related(other.after.stmt.span, words.again(other)) for other in fault.more[:3]]
    return (Related(pair.before.stmt.span, f"{source} {done} {name}"), *also, *others)


def _tell_idle(
    idle: Event, fault: Fault, words: Words, sizes: Sizes, context: CheckContext
) -> None:
    """A flag that lets somebody go before there is anything to wait for."""
    source, target, number = names(idle)
    pair, name = fault.pair, fault.pair.second.buffer.name
    done = "writes" if pair.first.write else "reads"
    does = "writes" if pair.second.write else "reads"
    context.report.add(
        "sync-missing",
        idle.stmt.span,
        f"{source}->{target} id {number} is set here before {source} has done anything, so that "
        f"{target} {does} {name} in {words.of(pair.after.stmt)} before {source} {done} it",
        notes=(
            f"A flag that lets the first wait of a loop through leads back, from {target} to {source}. "
            "Take this set away, or turn it round with its wait.",
            *fault.notes(sizes),
        ),
        related=(
            Related(pair.after.stmt.span, f"{target} {does} {name} too early"),
            Related(pair.before.stmt.span, f"{source} {done} {name}"),
        ),
    )


def _fixes(
    fault: Fault, half: Lost | None, words: Words, repairs: Repairs, kernel: Kernel
) -> tuple[Fix, ...]:
    """What would order the pair, where it is not carried by a loop. Where the author synchronises
    nothing at all the compiler shall."""
    pair = fault.pair
    if fault.bare:
        return switched_on(kernel.options, AUTO_SYNC) if _nothing_ordered(kernel) else ()
    if fault.barrier:
        return repairs.full_barrier(pair)
    if half is not None:
        return repairs.wait(pair, half)
    if words.carried(pair):
        return ()
    source, target = (PIPES[number] for number in pair.pipes)
    number = words.free(source.value.lower(), target.value.lower())
    alike = [other for other in fault.more if other.pipes == pair.pipes]
    return repairs.flag([pair, *alike], (source, target), number)


def _nothing_ordered(kernel: Kernel) -> bool:
    """True where no flag and no barrier orders pipes or cores."""
    calls = [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp) and s.op in TABLE]
    return not any(TABLE[call.op].kind == "sync" for call in calls)


def _set_again(half: Lost, repairs: Repairs, kernel: Kernel) -> tuple[Lost, tuple[Fix, ...]]:
    """The set that a wait lacks: behind what nothing orders where the wait is not there."""
    if half.fix is not None or half.call is None or not half.alone:
        return half, ()
    if half.place is not None and half.place.given is not None:
        return half, ()  # the other way has a set
    found = execute(replace(kernel, body=without(kernel.body, half.call)))
    pairs = [pair for runs in found.groups for pair in loose_pairs(runs)]
    return repairs.set(
        [p for p in pairs if p.pipes == half.pipes and p.cores[0] == p.cores[1]], half
    )


def _tell_lost(half: Lost, fixes: tuple[Fix, ...], sizes: Sizes, context: CheckContext) -> None:
    assert half.place is not None and half.shows is not None
    pipes = [PIPES[number].value for number in half.pipes]
    calls = {
        stmt.span
        for stmt in walk_stmts(sizes.kernel.body)
        if isinstance(stmt, TileOp)
        and stmt.op in ("set_flag", "wait_flag")
        and [str(arg).upper() for arg in stmt.args[:2]] == pipes
    }
    context.report.add(
        "flag-unmatched",
        half.span,
        half.text,
        notes=(*half.notes, *sizes.notes(half.place, half.shows, calls, not half.sure)),
        related=tuple(Related(span, text) for span, text in half.related),
        fixes=(half.fix.fix,) if half.fix is not None else (*half.fixes, *fixes),
        severity=None if half.sure else Severity.WARNING,
        subject=("flags", *half.pipes),
    )
