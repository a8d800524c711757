"""What a statement became, where it runs, and what it waits for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tl_ascend.ide.facts import Facts
from tl_ascend.ide.units import size
from tl_ascend.ide.why_order import MAX_SHOWN, across, added_beside, beside, is_sync, orders, waits
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import For, Region, Store, TileOp, walk_stmts
from tl_ascend.ir.reasons import Place, Reason
from tl_ascend.ir.storage import placed_bytes, root
from tl_ascend.ir.text import statement_text
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Core, Pipe

_LOWERING = ("parallel-not-vectorised", "parallel-unsupported", "not-lowered")
_CORES = {Core.CUBE: "cube", Core.VECTOR: "vector"}


def reasons_of_statement(facts: Facts, span: Span) -> Iterator[Reason]:
    """All decisions about the statement at a span."""
    yield from reasons_of_call(facts, span)
    if facts.kernel.lowered is None:
        return
    own, calls, written = _parts(facts, span)
    if written:
        yield from orders(facts, span, own)
        return
    yield from waits(facts, span, own)
    near = added_beside(facts, own)
    yield from beside(facts, span, near)
    yield from across(facts, span, [n for n in calls if n not in near])


def reasons_of_call(facts: Facts, span: Span) -> Iterator[Reason]:
    """What became of the statement and where it runs, without its order to others."""
    if facts.kernel.lowered is None:
        yield facts.not_lowered(span)
        return
    own, _, _ = _parts(facts, span)
    yield from _became(facts, span, own)
    yield from _findings(facts, span)
    yield from (
        r for r in facts.final.reasons if r.span == span and r.topic in ("overlap", "parts", "rows")
    )
    yield from _cores(facts, span, own)
    yield from _pipes(facts, span, own)
    yield from _scratch(facts, span, own)


def _parts(facts: Facts, span: Span) -> tuple[list[int], list[int], bool]:
    """What the statement became, the synchronisation that lowering put beside it, and whether the
    author wrote synchronisation here."""
    numbers = _numbers(facts, span)
    written = any(is_sync(stmt) for stmt in facts.written.get(span, ()))
    calls = [n for n in numbers if is_sync(facts.statements[n]) and not written]
    return [n for n in numbers if n not in calls], calls, written


def _numbers(facts: Facts, span: Span) -> list[int]:
    """The lowered statements of one that the author wrote; those of a parallel loop stand for its
    body, too."""
    spans = [span]
    for stmt in facts.written.get(span, ()):
        if isinstance(stmt, For) and stmt.kind == "parallel":
            spans += [inner.span for inner in walk_stmts(stmt.body)]
    return sorted({n for one in dict.fromkeys(spans) for n in facts.numbers.get(one, ())})


def _became(facts: Facts, span: Span, own: Sequence[int]) -> Iterator[Reason]:
    seen: dict[str, str] = {}
    for number in own:
        stmt = facts.statements[number]
        why = stmt.reason if isinstance(stmt, TileOp) else ""
        seen.setdefault(statement_text(facts.final, stmt), why)
    for text, why in list(seen.items())[:MAX_SHOWN]:
        yield Reason("becomes", span, text, why)
    if len(seen) > MAX_SHOWN:
        yield Reason("becomes", span, f"and {len(seen) - MAX_SHOWN} more")
    if not seen:
        yield Reason("becomes", span, "nothing", "lowering left no statement of it")


def _findings(facts: Facts, span: Span) -> Iterator[Reason]:
    """What lowering could not do, and what that costs."""
    told = {r.span for r in facts.final.reasons if r.topic == "overlap"}
    for finding in facts.kernel.findings:
        related = any(place.span == span for place in finding.related)
        if finding.name not in _LOWERING or not (finding.span == span or related):
            continue
        if finding.name == "not-lowered" and finding.span in told:
            continue  # the reason says the same
        places = tuple(Place(p.message, p.span) for p in finding.related if p.span != span)
        yield Reason("limit", span, finding.message, "", places)


# --- where it runs -------------------------------------------------------------------------------


def _cores(facts: Facts, span: Span, own: Sequence[int]) -> Iterator[Reason]:
    spans = {span, *(facts.statements[n].span for n in own)}
    stated = [r for r in facts.final.reasons if r.span in spans and r.topic == "core"]
    yield from stated
    if stated:
        return
    seen: dict[Reason, None] = {}
    for number in own:
        stmt = facts.statements[number]
        if isinstance(stmt, (TileOp, Store)):
            seen[_core(facts, span, number, stmt)] = None
    yield from seen


def _core(facts: Facts, span: Span, number: int, stmt: TileOp | Store) -> Reason:
    scope = facts.scopes.get(number)
    if scope is not None and not scope.inferred:
        place = (Place("scope", scope.span),)
        return Reason("core", span, _CORES[scope.core], f'T.Scope("{scope.core.value}")', place)
    if scope is not None:
        return Reason("core", span, _CORES[scope.core], "lowering put it there")
    core = effect_of(stmt).core
    if core in _CORES:
        why = "no T.Scope around it; the call exists on this core only"
        return Reason("core", span, _CORES[core], why)
    return Reason("core", span, "cube and vector", "no T.Scope around it")


def _pipes(facts: Facts, span: Span, own: Sequence[int]) -> Iterator[Reason]:
    """The queues that the work goes to, with what each reads and writes."""
    seen: dict[Reason, None] = {}
    for number in own:
        stmt = facts.statements[number]
        if is_sync(stmt):
            continue
        effect = effect_of(stmt)
        if effect.scalars:
            text = f"reads elements of {_names(effect.scalars)}"
            seen[Reason("pipe", span, Pipe.S.value, text)] = None
        for step in effect.steps:
            parts = [("reads", step.reads), ("writes", step.writes)]
            text = ", ".join(f"{verb} {_names(regions)}" for verb, regions in parts if regions)
            seen[Reason("pipe", span, step.pipe.value, text)] = None
    yield from list(seen)[:MAX_SHOWN]


def _names(regions: Sequence[Region]) -> str:
    return ", ".join(dict.fromkeys(region.buffer.name for region in regions))


def _scratch(facts: Facts, span: Span, own: Sequence[int]) -> Iterator[Reason]:
    """Tiles of the compiler that the calls need."""
    scratch = {buffer.uid: buffer for buffer in facts.final.scratch}
    used: dict[int, None] = {}
    for number in own:
        effect = effect_of(facts.statements[number])
        for region in (*effect.reads, *effect.writes):
            if root(region.buffer).uid in scratch:
                used[root(region.buffer).uid] = None
    for uid in used:
        buffer, place = scratch[uid], facts.final.placements[uid]
        count = placed_bytes(buffer, place)
        room = "" if count is None else f", {size(count)}"
        where = "" if place.address is None else f" at {place.address:,}"
        text = f"{buffer.name}{room} in the {place.memory.value}{where}"
        cause = place.scope_cause
        places = () if cause is None or cause == span else (Place("largest need", cause),)
        yield Reason("scratch", span, text, place.scope_reason, places)
