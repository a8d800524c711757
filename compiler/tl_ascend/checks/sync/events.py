"""What the pipes of a core are given to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

from tl_ascend.ir.nodes import Buffer, Stmt
from tl_ascend.target.hardware import Pipe

PIPES = tuple(pipe for pipe in Pipe if pipe is not Pipe.ALL)
NUMBER: dict[Pipe, int] = {pipe: at for at, pipe in enumerate(PIPES)}
SCALAR = NUMBER[Pipe.S]
# Whose copies may overtake each other: those to the same place need an order, too.
LOOSE = frozenset((NUMBER[Pipe.MTE2], NUMBER[Pipe.MTE3]))
Box = tuple[tuple[int, int], ...]


class Kind(IntEnum):
    """`BARRIER`: of all pipes, on the scalar one, or of a single one; `SIGNAL`, `AWAIT`: a flag between
    the cores; `JOIN`: a vector core's part of a flag that the vector cores set together; `OWN`: the same
    of the cube cores of the launch; `MEET`: all cores of the launch."""

    WORK = 0
    SET = 1
    WAIT = 2
    BARRIER = 3
    SIGNAL = 4
    AWAIT = 5
    MEET = 6
    JOIN = 7
    OWN = 8


class Access(NamedTuple):
    """A box of a buffer, from the first to behind the last index of each dimension.
    `number`: of the box, equal for equal ones. `added`: an atomic addition, which needs no order with
    others."""

    buffer: Buffer
    uid: int
    box: Box
    number: int
    write: bool
    gm: bool = False
    added: bool = False


@dataclass(slots=True, eq=False)
class Event:
    """`pipe`: by number, whose queue it goes to. `place`: a number for the span of
    the statement. `flag`: of SET, WAIT (source, target, id), SIGNAL, JOIN and
    AWAIT (id). `branches`: the unknown branches and loops that it stands in."""

    kind: Kind
    pipe: int
    stmt: Stmt
    place: int
    accesses: tuple[Access, ...] = ()
    flag: Any = None
    branches: tuple[object, ...] = ()


@dataclass(slots=True)
class Program:
    """The events of one core. `whole`: False where only the beginning was followed; `repeats`: which
    events stand for so many equal rounds of a loop, inner loops first; `open`: some branch or loop was
    unknown; `sized`: a symbolic dimension was given a size; `guessed`: flags of which that decides how
    often they are used; `taken`: the ways of branches that were unknown, by their identity."""

    events: list[Event] = field(default_factory=list)
    whole: bool = True
    repeats: list[tuple[int, int, int]] = field(default_factory=list)
    open: bool = False
    sized: bool = False
    guessed: set[object] = field(default_factory=set)
    taken: dict[int, set[bool]] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        """True where no iteration was left out."""
        return not self.repeats

    def does(self, other: Program) -> bool:
        """True where another one does the same to the same bytes, and for equal reasons."""
        return (
            len(self.events) == len(other.events)
            and self.repeats == other.repeats
            and (self.whole, self.open, self.sized) == (other.whole, other.open, other.sized)
            and self.guessed == other.guessed
            and all(map(_same, self.events, other.events))
        )

    @property
    def followed(self) -> int:
        """How many events stand before the first iteration that was left out."""
        return min((end for _, end, _ in self.repeats), default=len(self.events))

    @property
    def times(self) -> list[int]:
        """How often each event happens."""
        counts = [1] * len(self.events)
        for begin, end, factor in self.repeats:
            counts[begin:end] = [count * factor for count in counts[begin:end]]
        return counts

    def uses(self, kind: Kind) -> Iterator[tuple[Event, int]]:
        """The events of a kind, and how often each happens."""
        times: list[int] = []
        for at, event in enumerate(self.events):
            if event.kind is kind:
                times = times or self.times
                yield event, times[at]

    def sure(self, flag: object) -> bool:
        """True where nothing that was guessed decides how often a flag is used."""
        return self.whole and not {None, flag} & self.guessed

    @property
    def faithful(self) -> bool:
        """True where what was left out is not why flags within the core do not match."""
        kept: Counter[Any] = Counter()
        every: Counter[Any] = Counter()
        for event, count in zip(self.events, self.times, strict=True):
            if event.kind is Kind.SET or event.kind is Kind.WAIT:
                sign = 1 if event.kind is Kind.SET else -1
                kept[event.flag] += sign
                every[event.flag] += sign * count
        return all(
            (kept[f] > 0) == (every[f] > 0) and (kept[f] < 0) == (every[f] < 0) for f in kept
        )


def joined(programs: Iterable[Program]) -> set[int]:
    """The flags that the vector cores set together."""
    return _flags(programs, Kind.JOIN)


def owned(programs: Iterable[Program]) -> set[int]:
    """The flags that the cube cores set together."""
    return _flags(programs, Kind.OWN)


def _flags(programs: Iterable[Program], kind: Kind) -> set[int]:
    return {e.flag for program in programs for e in program.events if e.kind is kind}


def _same(one: Event, other: Event) -> bool:
    return one is other or (
        one.stmt is other.stmt
        and one.pipe == other.pipe
        and one.flag == other.flag
        and one.accesses == other.accesses
        and one.branches == other.branches
    )
