"""One fault of several instances is one finding: the first one's words, and beside it what the others
say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tl_ascend.diagnostics.report import Applicability
from tl_ascend.ide.model import Diagnostic, QuickFix, RelatedPlace

MAX_OTHERS = 3


def merged(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Each code and message once at a place, and once what instances have there in other words, or about
    the same subject elsewhere."""
    told: dict[tuple[object, ...], Diagnostic] = {}
    for one in found:
        key = one.range, one.code, one.message, one.severity
        told[key] = _united(told[key], one) if key in told else one
    kept: list[Diagnostic] = []
    others: dict[int, list[Diagnostic]] = {}
    alike: dict[tuple[object, ...], list[int]] = {}
    for one in told.values():
        places = [at for shared in _alike(one) for at in alike.get(shared, ())]
        at = next((at for at in places if _apart(one, (kept[at], *others[at]))), None)
        if at is None:
            at = len(kept)
            kept.append(one)
            others[at] = []
        else:
            others[at].append(one)
        for shared in _alike(one):
            alike.setdefault(shared, []).append(at)
    return [_with_others(one, others[at]) for at, one in enumerate(kept)]


def _alike(one: Diagnostic) -> Iterator[tuple[object, ...]]:
    """What another finding of the same fault has in common with this one."""
    rule = one.code, one.severity, one.kernel, one.target
    yield *rule, one.range
    if one.subject is not None:
        yield *rule, one.subject


def _apart(one: Diagnostic, others: tuple[Diagnostic, ...]) -> bool:
    """True where no instance has both: these are two findings in it."""
    return bool(one.instances) and all(
        other.instances and not set(one.instances) & set(other.instances) for other in others
    )


def _united(first: Diagnostic, other: Diagnostic) -> Diagnostic:
    """The same message twice."""
    return replace(
        first,
        notes=tuple(dict.fromkeys((*first.notes, *other.notes))),
        related=tuple(dict.fromkeys((*first.related, *other.related))),
        fixes=_common_fixes(first.fixes, other.fixes),
        instances=tuple(dict.fromkeys((*first.instances, *other.instances))),
    )


def _with_others(first: Diagnostic, others: list[Diagnostic]) -> Diagnostic:
    if not others:
        return first
    told = [(one.range, f"with {_instances(one)}: {one.message}") for one in others[:MAX_OTHERS]]
    notes = [text for place, text in told if place == first.range]
    related = [RelatedPlace(place, text) for place, text in told if place != first.range]
    left = len(others) - MAX_OTHERS
    if left > 0:
        notes.append(f"and {left} more with other numbers")
    fixes, instances = first.fixes, first.instances
    for other in others:
        fixes = _common_fixes(fixes, other.fixes)
        instances += other.instances
    return replace(
        first,
        notes=(*first.notes, *notes),
        related=(*first.related, *related),
        fixes=fixes,
        instances=instances,
    )


def _instances(one: Diagnostic) -> str:
    return "; ".join(one.instances[:2])


def _common_fixes(some: tuple[QuickFix, ...], others: tuple[QuickFix, ...]) -> tuple[QuickFix, ...]:
    """All of them, each once; one that not every instance asks for is the author's decision."""
    shared = {f.edits for f in some if f.safe} & {f.edits for f in others if f.safe}
    fixes = {fix.edits: fix for fix in (*others, *some)}
    ordered = dict.fromkeys(fix.edits for fix in (*some, *others))
    return tuple(
        fixes[edits]
        if edits in shared or not fixes[edits].safe
        else replace(fixes[edits], applicability=Applicability.UNSAFE)
        for edits in ordered
    )
