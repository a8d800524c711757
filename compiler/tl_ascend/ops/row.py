"""The shape of a row. A row is all that hints, hover, completion, effects, planning and
synchronisation know of an operation; code that a row names by rule lives with its consumer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

from tl_ascend.target.hardware import Core, Memory, Pipe


class Role(Enum):
    """What the operation does with an operand."""

    READ = "read"
    WRITE = "write"
    READ_WRITE = "read-write"
    NONE = "none"

    @property
    def reads(self) -> bool:
        return self in (Role.READ, Role.READ_WRITE)

    @property
    def writes(self) -> bool:
        return self in (Role.WRITE, Role.READ_WRITE)


class _Required:
    def __repr__(self) -> str:
        return "required"


REQUIRED: Final = _Required()


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter. `kind`: region, scalar, operand (region or scalar), text, flag (True/False or a
    condition), int, list, any. `memories`: legal memories, empty where a check of its own decides.
    `overwritten_if`: a flag parameter; where that is literally True what the operand held is lost.
    `pipe`: the pipe that touches the operand, where it is not that of the form."""

    name: str
    kind: str = "region"
    role: Role = Role.NONE
    default: Any = REQUIRED
    memories: tuple[Memory, ...] = ()
    overwritten_if: str = ""
    pipe: Pipe | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """Device text. Fields: parameter names (the pointer of a tile, a text, or a scalar; scalars
    have the element type of the first tile that is read, unless their kind is int), `n` (elements of
    the first tile that is written), `type` (its C type), `n_x` and `type_x` (those of tile x),
    `scratch`."""

    text: str


@dataclass(frozen=True, slots=True)
class RuleName:
    """A function of the back end, in its file for the family of the row."""

    name: str


@dataclass(frozen=True, slots=True)
class Unsupported:
    """This route cannot express the form; `why` goes into the diagnostic."""

    why: str


Emit = Template | RuleName | Unsupported


@dataclass(frozen=True, slots=True)
class Form:
    """A device call that a row is lowered to. `name`: as counted among the operations of a kernel
    (empty: synchronisation). `memories`: source and destination for copies. `events`: flags that the
    template sets and waits for internally (source pipe, destination pipe, id). `fill`: the pipe that
    first fills the destination of a copy where the transfer is partial."""

    name: str
    pipe: Pipe
    core: Core
    emit: Mapping[str, Emit] = field(default_factory=lambda: MappingProxyType({}))
    memories: tuple[Memory, Memory] | None = None
    virtual: bool = False
    events: tuple[tuple[Pipe, Pipe, int], ...] = ()
    fill: Pipe | None = None


@dataclass(frozen=True, slots=True)
class Op:
    """One row.

    `name`: as written after `T.`. `kind`: tile (a statement on tiles), sync, value (yields a scalar),
    alloc, frame (`with T.x`), loop, type, annotation, host. `choose`: the rule that picks the form
    (`single`, `memories`, `scalar`). `scratch`: rule for hidden scratch bytes. `checks`: rules of
    `checks/<family>.py` that apply. `status`: empty, or why upstream cannot use it and what to do.
    """

    name: str
    kind: str
    params: tuple[Param, ...] = ()
    doc: str = ""
    source: str = ""
    family: str = ""
    forms: tuple[Form, ...] = ()
    choose: str = "single"
    scratch: str = ""
    checks: tuple[str, ...] = ()
    status: str = ""
    vararg: str = ""

    @property
    def core(self) -> Core:
        cores = {form.core for form in self.forms}
        return cores.pop() if len(cores) == 1 else Core.ANY

    def form(self, name: str) -> Form:
        """The form of a name. Errors: KeyError."""
        for form in self.forms:
            if form.name == name:
                return form
        raise KeyError(f"{self.name} has no form {name!r}")

    @property
    def signature(self) -> str:
        """The Python signature, as hover shows it."""
        shown = [
            p.name if p.default is REQUIRED else f"{p.name}={p.default!r}" for p in self.params
        ]
        if self.vararg:
            shown.append(f"*{self.vararg}")
        return f"T.{self.name}({', '.join(shown)})"
