"""One fault of several instances is one finding: the first one's words, what the others say as notes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from tl_ascend.diagnostics.report import Applicability
from tl_ascend.ide.model import Diagnostic, QuickFix

MAX_OTHERS = 3
_NUMBER = re.compile(r"(?<!\w)\d+")


def merged(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Each code and message once at a place, and once what differs in the numbers of instances."""
    told: dict[tuple[object, ...], Diagnostic] = {}
    for one in found:
        key = one.range, one.code, one.message, one.severity
        told[key] = _united(told[key], one) if key in told else one
    kept: list[Diagnostic] = []
    others: dict[int, list[Diagnostic]] = {}
    alike: dict[tuple[object, ...], list[int]] = {}
    for one in told.values():
        places = alike.setdefault(_alike(one), [])
        at = next((at for at in places if _apart(one, (kept[at], *others[at]))), None)
        if at is None:
            at = len(kept)
            places.append(at)
            kept.append(one)
            others[at] = []
        else:
            others[at].append(one)
    return [_with_others(one, others[at]) for at, one in enumerate(kept)]


def _alike(one: Diagnostic) -> tuple[object, ...]:
    return one.range, one.code, one.severity, one.kernel, one.target, _NUMBER.sub("0", one.message)


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
    notes = [f"with {'; '.join(one.instances[:2])}: {one.message}" for one in others[:MAX_OTHERS]]
    left = len(others) - MAX_OTHERS
    if left > 0:
        notes.append(f"and {left} more with other numbers")
    fixes, instances = first.fixes, first.instances
    for other in others:
        fixes = _common_fixes(fixes, other.fixes)
        instances += other.instances
    return replace(first, notes=(*first.notes, *notes), fixes=fixes, instances=instances)


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
