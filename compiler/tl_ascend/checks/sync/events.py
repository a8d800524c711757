"""What the pipes of a core are given to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from tl_ascend.ir.nodes import Buffer, Stmt
from tl_ascend.target.hardware import Pipe

PIPES = tuple(pipe for pipe in Pipe if pipe is not Pipe.ALL)
NUMBER: dict[Pipe, int] = {pipe: at for at, pipe in enumerate(PIPES)}
SCALAR = NUMBER[Pipe.S]
Box = tuple[tuple[int, int], ...]


class Kind(IntEnum):
    """`SIGNAL`, `AWAIT`: a flag between the cores; `MEET`: all cores of the launch."""

    WORK = 0
    SET = 1
    WAIT = 2
    BARRIER = 3
    SIGNAL = 4
    AWAIT = 5
    MEET = 6


@dataclass(frozen=True, slots=True)
class Access:
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
    the statement. `flag`: of SET, WAIT (source, target, id), SIGNAL and
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
    """The events of one core. `whole`: False where only the beginning was followed; `exact`: no
    iteration was left out, else about `skipped` events; `open`: some branch or loop was unknown;
    `sized`: a symbolic dimension was given a size."""

    events: list[Event] = field(default_factory=list)
    whole: bool = True
    exact: bool = True
    skipped: int = 0
    open: bool = False
    sized: bool = False

    @property
    def length(self) -> int:
        """About how many events there would be if nothing were left out."""
        return len(self.events) + self.skipped
