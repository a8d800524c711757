"""Findings and the sink that collects them. User mistakes are reported here, never raised."""

from __future__ import annotations

from dataclasses import dataclass, field

from tl_ascend.diagnostics.catalogue import BY_NAME, Rule, Severity
from tl_ascend.source.span import Span


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of a span (or, with `at_end`, insert behind it)."""

    span: Span
    new_text: str
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair that is certain to be what the rule asks for."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """The other half of a fault."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to tell the author.

    `message` states the rule, the numbers and which operand; `notes` say why on this hardware.
    """

    name: str
    span: Span
    message: str
    notes: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    severity: Severity | None = None

    @property
    def rule(self) -> Rule:
        return BY_NAME[self.name]

    @property
    def level(self) -> Severity:
        return self.rule.severity if self.severity is None else self.severity


@dataclass(slots=True)
class Report:
    """A sink for findings; equal findings are kept once, in order of arrival."""

    findings: list[Finding] = field(default_factory=list)

    def add(
        self,
        name: str,
        span: Span,
        message: str,
        *,
        notes: tuple[str, ...] = (),
        related: tuple[Related, ...] = (),
        fixes: tuple[Fix, ...] = (),
        severity: Severity | None = None,
    ) -> None:
        """Report one finding by the name of its catalogue row."""
        finding = Finding(name, span, message, notes, related, fixes, severity)
        if finding.name not in BY_NAME:
            raise KeyError(f"no catalogue row {name!r}")
        if finding not in self.findings:
            self.findings.append(finding)
