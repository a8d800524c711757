"""Why lowering decided as it did: data that a pass attaches to its decision; text comes at the end."""

from __future__ import annotations

from dataclasses import dataclass

from tl_ascend.source.span import Span


@dataclass(frozen=True, slots=True)
class Place:
    """Another place that a reason speaks of: `word` says what it is (`loop`, `produced`)."""

    word: str
    span: Span


@dataclass(frozen=True, slots=True)
class Reason:
    """One decision about what stands at `span`. `topic`: what was decided (memory, core, overlap),
    `decision`: how, `because`: why, where more is to be said than the decision itself says."""

    topic: str
    span: Span
    decision: str
    because: str = ""
    places: tuple[Place, ...] = ()
