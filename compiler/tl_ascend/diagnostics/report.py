"""Findings and the sink that collects them. User mistakes are reported here, never raised."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum

from tl_ascend.diagnostics.catalogue import BY_NAME, Rule, Severity
from tl_ascend.source.span import Span


class Where(Enum):
    """Where the text of an edit goes."""

    OVER = "in place of the span"
    BEHIND = "directly behind the span"
    ABOVE = "as statements above the statement that the span is"
    BELOW = "as statements below it"
    ARGUMENT = "as one more argument of the call that the span is"
    ITEM = "as one more item of the dictionary that the span is"
    LENGTH = "in place of the last length in the allocation that the span is"


# In the text of an edit: what the file calls the module. A file without a name for it gets no fix.
LANGUAGE, TILELANG = "{tilelang.language}", "{tilelang}"


@dataclass(frozen=True, slots=True)
class OfLength:
    """The text of an edit where the last length in an allocation is no number but names: `{length}` in
    it stands for them. `allocation` stands in the same function."""

    allocation: Span
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of the text at a span. Lines end with a line feed and count their indentation from
    the statement. `within`: the text may stand only inside of that span, whose names it uses.
    `of_length`: another text, which goes by a length as it is written."""

    span: Span
    new_text: str
    where: Where = Where.OVER
    within: Span | None = None
    of_length: OfLength | None = None


class Applicability(Enum):
    """`SAFE`: the kernel then does what its author surely meant. `UNSAFE`: what was meant is likely,
    and the author has to say so."""

    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair after which the rule holds."""

    title: str
    edits: tuple[Edit, ...]
    applicability: Applicability = Applicability.SAFE


@dataclass(frozen=True, slots=True)
class Related:
    """The other half of a fault."""

    span: Span
    message: str


# What may be at fault: anything that can be compared.
Cause = Hashable


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to tell the author.

    `message` states the rule, the numbers and which operand; `notes` say why on this hardware.
    `causes`: each of them alone explains it; findings with one in common may be one fault.
    `subject`: what it is about, where other instances may show the same fault at another place.
    `blocks`: no program is emitted where it is an error and its rule says so, too.
    """

    name: str
    span: Span
    message: str
    notes: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    severity: Severity | None = None
    causes: tuple[Cause, ...] = field(default=(), compare=False)
    subject: Cause | None = field(default=None, compare=False)
    blocks: bool = field(default=True, compare=False)

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
        causes: tuple[Cause, ...] = (),
        subject: Cause | None = None,
        blocks: bool = True,
    ) -> None:
        """Report one finding by the name of its catalogue row."""
        more = (notes, related, fixes, severity, causes, subject, blocks)
        finding = Finding(name, span, message, *more)
        if finding.name not in BY_NAME:
            raise KeyError(f"no catalogue row {name!r}")
        if finding not in self.findings:
            self.findings.append(finding)
