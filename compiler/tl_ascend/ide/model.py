"""Between the compiler and any editor. Positions: 1-based rows, 0-based characters."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Applicability
from tl_ascend.source.span import Position, Range


@dataclass(frozen=True, slots=True)
class RelatedPlace:
    """Another place that a diagnostic speaks of."""

    range: Range
    message: str


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace a range of this file."""

    range: Range
    new_text: str


@dataclass(frozen=True, slots=True)
class QuickFix:
    """A repair. `safe`: it may be done without asking the author."""

    title: str
    edits: tuple[TextEdit, ...]
    applicability: Applicability = Applicability.SAFE

    @property
    def safe(self) -> bool:
        return self.applicability is Applicability.SAFE


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, merged over the instances that have it. `code`: TL number, `name`: kebab name,
    `instances`: which instances have it (empty: not about an instance); `fingerprint`: the same
    wherever the code moves, as far as it was asked for; `subject`: what it is about, by which the
    findings of several instances are one."""

    range: Range
    severity: Severity
    code: str
    name: str
    message: str
    notes: tuple[str, ...] = ()
    related: tuple[RelatedPlace, ...] = ()
    fixes: tuple[QuickFix, ...] = ()
    kernel: str = ""
    instances: tuple[str, ...] = ()
    target: str = ""
    fingerprint: str = ""
    subject: Hashable = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Hint:
    """An inlay hint, shown at `position`. `kind`: buffers, scopes, values or transfers.
    `tooltip`: Markdown."""

    position: Position
    label: str
    kind: str
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about the token in `range`."""

    range: Range
    markdown: str


@dataclass(frozen=True, slots=True)
class Completion:
    """`kind`: function, class, module or value. Replaces the identifier before the cursor."""

    label: str
    kind: str
    detail: str = ""
    documentation: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user set. `platform`: auto, A2, A3 or A5; `upstream`: snapshot or none."""

    platform: str = "auto"
    upstream: str = "snapshot"
    hints: Mapping[str, bool] = field(
        default_factory=lambda: MappingProxyType(
            {"buffers": True, "scopes": True, "values": True, "transfers": True}
        )
    )
