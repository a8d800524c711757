"""What an execution of cores showed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tl_ascend.checks.sync.events import Access, Event


@dataclass(frozen=True, slots=True)
class Pair:
    """Two events on different pipes that touch the same bytes, one of them writing. Pipes by number
    within a core; `cores`: the core of each; `half`: a set that would order them, which nobody waits
    for; `early`: the second has certainly happened before the first; `order`: where the program stands
    then."""

    before: Event
    after: Event
    pipes: tuple[int, int]
    cores: tuple[int, int]
    first: Access
    second: Access
    half: Event | None = None
    early: bool = False
    order: int = 0

    @property
    def alike(self) -> bool:
        """True where both are accesses of one buffer, not of two that share bytes."""
        return self.first.buffer.uid == self.second.buffer.uid

    @property
    def turned(self) -> Pair:
        """The first as the one that has to wait."""
        return replace(
            self,
            before=self.after,
            after=self.before,
            pipes=self.pipes[::-1],
            cores=self.cores[::-1],
            first=self.second,
            second=self.first,
            early=False,
        )


@dataclass(frozen=True, slots=True)
class Stuck:
    """An event that waits for ever. `order`: where it stands in the program of its core."""

    core: int
    event: Event
    order: int


@dataclass(frozen=True, slots=True)
class Twice:
    """A flag that is set again before anybody has waited for it."""

    first: Event
    second: Event
    order: int


@dataclass(frozen=True, slots=True)
class Unset:
    """A read of what nothing has written before it. `written`: another part, that has been."""

    event: Event
    access: Access
    written: Event | None


@dataclass(slots=True)
class Outcome:
    """`loose`: pairs that nothing orders, each once; `met`: keys of all pairs that were met.
    `halted`: cores whose scalar unit itself waits for ever; `left`: sets that nobody waited for, by
    core. `unbalanced`: flags between the cores are left set; `unset`: reads of new tensors before
    anything is written there."""

    loose: dict[int, Pair] = field(default_factory=dict)
    met: set[int] = field(default_factory=set)
    stuck: list[Stuck] = field(default_factory=list)
    halted: set[int] = field(default_factory=set)
    doubled: list[Twice] = field(default_factory=list)
    left: list[tuple[int, Event]] = field(default_factory=list)
    unbalanced: bool = False
    unset: list[Unset] = field(default_factory=list)
