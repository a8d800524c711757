"""One fault is told once: where sizes or types do not agree in several places, one change of a buffer or
of a part may mend them all. The first place is told, with the others beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tl_ascend.checks.causes import Extent
from tl_ascend.checks.consequences import Head, heads_of
from tl_ascend.diagnostics.report import Applicability, Cause, Finding, Fix, Related
from tl_ascend.ir.nodes import Kernel

# What else a cause is, by the names that the author gave.
Names = Callable[[Cause], Iterable[Cause]]


@dataclass(slots=True)
class _Told:
    """A finding, and others that it stands for."""

    head: Head
    places: list[Related] = field(default_factory=list)
    fixes: tuple[Fix, ...] = ()

    def finding(self) -> Finding:
        first = self.head.finding
        related = (*first.related, *self.head.beside, *self.places)
        return replace(first, related=related, fixes=self.fixes)


@dataclass(slots=True)
class _Fault:
    """The causes that explain all of what is told, or all of what follows from it."""

    told: _Told
    causes: tuple[Cause, ...]

    def takes(self, finding: Finding, causes: Sequence[Cause]) -> bool:
        """True where one of the causes explains the finding, too."""
        first = self.told.head.finding
        common = tuple(dict.fromkeys(_common(self.causes, causes)))
        if not common or finding.level > first.level:
            return False
        self.causes = common
        if finding.span != first.span:
            self.told.places.append(Related(finding.span, f"here, too: {finding.message}"))
        each = all(isinstance(c, tuple) and c[:2] == EACH_ITS_OWN for c in common)
        alike = {fix.title for fix in self.told.fixes[:1]} & {
            fix.title for fix in finding.fixes[:1]
        }
        fixes = _both(self.told.fixes, finding.fixes) if each or alike else ()
        self.told.fixes = fixes or self.told.fixes or finding.fixes
        return True


# One name gives the rows of several tiles their length; a fix mends those of one.
EACH_ITS_OWN = "written", "row"


def _both(some: tuple[Fix, ...], others: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """The first repair of each place, as one."""
    if not some or not others:
        return ()
    one, other = some[0], others[0]
    if set(other.edits) <= set(one.edits):
        return some
    edits = tuple(dict.fromkeys((*one.edits, *other.edits)))
    unsafe = Applicability.UNSAFE in (one.applicability, other.applicability)
    kind = Applicability.UNSAFE if unsafe else Applicability.SAFE
    title = one.title
    if other.title != title:
        title = f"{title}; {other.title[:1].lower()}{other.title[1:]}"
    return (Fix(title, edits, kind),)


def told_once(
    findings: Sequence[Finding], kernel: Kernel, names: Names | None = None
) -> tuple[Finding, ...]:
    """The same without consequences of others, and without those that one cause of another one explains.
    An error explains warnings, and never the other way round."""
    if len(findings) < 2:
        return tuple(findings)
    faults: list[_Fault] = []
    for head in sorted(heads_of(findings, kernel), key=lambda head: (-head.finding.level, head.at)):
        causes = tuple(_named(head.finding.causes, names))
        fault = next((fault for fault in faults if fault.takes(head.finding, causes)), None)
        if fault is None:
            fault = _Fault(_Told(head, fixes=head.finding.fixes), causes)
            faults.append(fault)
        # What explains a consequence may show in other places, too.
        faults += [_Fault(fault.told, tuple(_named(one.causes, names))) for one in head.others]
    told = {id(fault.told): fault.told for fault in faults}
    return tuple(one.finding() for one in sorted(told.values(), key=lambda one: one.head.at))


def _named(causes: Iterable[Cause], names: Names | None) -> Iterator[Cause]:
    for cause in causes:
        yield cause
        yield from names(cause) if names is not None else ()


def _common(some: Sequence[Cause], others: Sequence[Cause]) -> Iterator[Cause]:
    for one in some:
        for other in others:
            if isinstance(one, Extent) and isinstance(other, Extent):
                both = one.and_also(other)
                yield from () if both is None else (both,)
            elif one == other:
                yield one
