"""Repairs applied to a text until none is left, each checked: one that does harm is taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.model import Diagnostic, QuickFix, TextEdit
from tl_ascend.ide.result import FileResult
from tl_ascend.source.text import SourceText

MAX_ROUNDS = 64
Check = Callable[[str], FileResult]


@dataclass(frozen=True, slots=True)
class Fixed:
    """`text` as repaired, with its `result`; `applied`, `refused`: titles of repairs."""

    text: str
    result: FileResult
    applied: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repair:
    """What a fix of a finding changes."""

    found: Diagnostic
    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True)
class _Repair:
    found: Diagnostic
    fix: QuickFix

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        """The same repair, wherever it has moved."""
        return self.found.fingerprint, self.fix.title, tuple(e.new_text for e in self.fix.edits)


@dataclass(slots=True)
class _Work:
    """The text as far as it has come."""

    path: str
    text: str
    result: FileResult
    check: Check
    unsafe: bool
    applied: list[str] = field(default_factory=list)
    refused: dict[tuple[str, str, tuple[str, ...]], str] = field(default_factory=dict)

    def wanted(self) -> list[_Repair]:
        """Repairs that do not touch each other, first come first served."""
        chosen: list[_Repair] = []
        taken: list[TextEdit] = []
        for repair in _repairs(self.result, self.unsafe):
            edits = repair.fix.edits
            if repair.key in self.refused or any(_touch(a, b) for a in edits for b in taken):
                continue
            chosen.append(repair)
            taken += edits
        return chosen

    def apply(self, repairs: Sequence[_Repair]) -> None:
        """Apply repairs together where that does no harm, else in halves."""
        text = edited(self.path, self.text, [e for r in repairs for e in r.fix.edits])
        result = self.check(text)
        if not result.failure and harmless(
            state_of(self.result), state_of(result), [r.found for r in repairs]
        ):
            self.text, self.result = text, result
            self.applied += [r.fix.title for r in repairs]
        elif len(repairs) == 1:
            self.refused[repairs[0].key] = repairs[0].fix.title
        else:
            self.apply(repairs[: len(repairs) // 2])  # the other half comes in the next round


def fix_text(path: str, text: str, check: Check, unsafe: bool = False) -> Fixed:
    """Apply all safe repairs, and those that come up then; `unsafe`: also those to be judged."""
    work = _Work(path, text, check(text), check, unsafe)
    for _ in range(MAX_ROUNDS):
        repairs = work.wanted()
        if not repairs:
            break
        work.apply(repairs)
    return Fixed(work.text, work.result, tuple(work.applied), tuple(work.refused.values()))


def fixable(result: FileResult, unsafe: bool) -> bool:
    """Whether there is anything to repair."""
    return bool(_repairs(result, unsafe))


def _repairs(result: FileResult, unsafe: bool) -> list[_Repair]:
    """One repair for each finding that has any. Findings of several instances may share theirs."""
    found: dict[tuple[TextEdit, ...], _Repair] = {}
    for one in result.diagnostics:
        for fix in one.fixes:
            here = all(edit.range.path == one.range.path for edit in fix.edits)
            if here and (fix.safe or unsafe):
                found.setdefault(fix.edits, _Repair(one, fix))
                break
    return list(found.values())


def _touch(a: TextEdit, b: TextEdit) -> bool:
    return a.range.start <= b.range.end and b.range.start <= a.range.end


def edited(path: str, text: str, edits: Sequence[TextEdit]) -> str:
    """The text with edits that do not touch each other."""
    source = SourceText(path, text)
    for edit in sorted(edits, key=lambda e: e.range, reverse=True):
        start, end = source.offset(edit.range.start), source.offset(edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    return text


@dataclass(frozen=True, slots=True)
class State:
    """What was found in a text. `checked`: how many kernels could be."""

    diagnostics: tuple[Diagnostic, ...]
    checked: int


def state_of(result: FileResult) -> State:
    """The same of a result."""
    return State(result.diagnostics, sum(k.status == "checked" for k in result.kernels))


def harmless(before: State, after: State, repaired: Sequence[Diagnostic]) -> bool:
    """No kernel is lost, what was to be repaired is gone, and no error or warning is new, except in
    kernels that could not be checked before."""
    more = after.checked - before.checked
    if more < 0:
        return False
    was, now = _told(before), _told(after)
    if not more and any(count > was[code] for code, count in now.items()):
        return False
    codes = {found.code for found in repaired}
    left, had = (sum(d.code in codes for d in s.diagnostics) for s in (after, before))
    return left <= had - len(repaired)


def _told(state: State) -> Counter[str]:
    return Counter(d.code for d in state.diagnostics if d.severity >= Severity.WARNING)


def tried(
    path: str, text: str, check: Callable[[str], State], repairs: Sequence[Repair]
) -> tuple[bool, ...]:
    """Which of some repairs are harmless, each for itself."""
    before = check(text)
    return tuple(_harmless(path, text, check, before, repair) for repair in repairs)


def _harmless(
    path: str, text: str, check: Callable[[str], State], before: State, repair: Repair
) -> bool:
    return harmless(before, check(edited(path, text, repair.edits)), [repair.found])
