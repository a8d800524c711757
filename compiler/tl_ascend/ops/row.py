"""The shape of a row. A row is all that hints, hover, completion, effects, planning and
synchronisation know of an operation; code that a row names by rule lives with its consumer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeAlias

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


class Values(Enum):
    """What a call may count on in what an operand holds; else what it gives is not said."""

    ANY = ""
    ELEMENTS = "byte offsets of whole elements"
    BLOCKS = "byte offsets that are multiples of 32"
    NONE = "nothing: it is room to work in"
    POSITIVE = "positive numbers"
    FALLING_PAIRS = "pairs of a value and an index, the greatest value first"


class _Required:
    def __repr__(self) -> str:
        return "required"


REQUIRED: Final = _Required()

# Names of element types by platform. A platform that is missing is one we have no table for.
Dtypes: TypeAlias = Mapping[str, frozenset[str]]
ANY_TYPE: Final[Dtypes] = MappingProxyType({})


class Given(Protocol):
    """What a call gives for the parameters of its row, as far as that is known; asking for what is not
    ends the question."""

    @property
    def unit(self) -> int:
        """Elements of the operand in question in a block of 32 bytes."""

    def size(self, name: str) -> int:
        """The elements of a tile."""

    def number(self, name: str, at: int = 0) -> int:
        """The least value of a count or stride, or of one of a list."""

    def arg(self, name: str) -> Any:
        """The argument itself."""


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter, under upstream's name: kernels give arguments by keyword.

    `kind`: region, scalar (of the element type), operand (region, scalar or text), text, flag
    (True/False or a condition), int (a count, an index or a stride), list, any.
    `memories`: legal memories, empty where a check of its own decides.
    `overwritten_if`: a flag parameter; where that is literally True what the operand held is lost.
    `pipe`: the pipe that touches the operand, where it is not that of the form.
    `dtypes`: element types of an operand that has its own, such as a mask or offsets; the others
    have the type that the form names.
    `choices`: the words that a text may be. `keyword`: given by keyword only. `whole`: upstream
    takes a buffer here, no part of one. `spoilt_on`: routes on which upstream's program overwrites
    what it reads here. `values`: what the operand must hold. `aligned`: bytes of which the start of a
    part in the UB is a multiple; 0: the start of any element. `lone`: a single element is read by the
    scalar unit, wherever it lies. `needs`: the elements that the call touches, from the first one of the
    operand on, where that is not what `checks` of the row compare."""

    name: str
    kind: str = "region"
    role: Role = Role.NONE
    default: Any = REQUIRED
    memories: tuple[Memory, ...] = ()
    overwritten_if: str = ""
    pipe: Pipe | None = None
    dtypes: Dtypes = field(default_factory=lambda: ANY_TYPE)
    choices: tuple[str, ...] = ()
    keyword: bool = False
    whole: bool = False
    spoilt_on: tuple[str, ...] = ()
    values: Values = Values.ANY
    aligned: int = 32
    lone: bool = False
    needs: Callable[[Given], int] | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """Device text. Fields: on route pto parameter names (tiles of one shape, or scalars); on route
    ascendc parameter names (the pointer of a tile, a text, or a scalar; scalars have the element type of
    the first tile that is read, unless their kind is int), `n` (elements of the first tile that is
    written), `type` (its C type), `n_x` and `type_x` (those of tile x), `scratch`."""

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
    first fills the destination of a copy where the transfer is partial. `dtypes`: element types of
    the operand that decides, the first tile that is only read, else the first. `calls`: what counts
    instead of `name` where the form makes several device calls. `route_events`: `events` of a route
    whose template uses others. `mixes`: CANN has the call for tiles of different types, too.
    `scalar`: what the call does with a scalar operand before it takes it, around `{}`. `waits`: the
    call itself waits for what its pipe has done before."""

    name: str
    pipe: Pipe
    core: Core
    emit: Mapping[str, Emit] = field(default_factory=lambda: MappingProxyType({}))
    memories: tuple[Memory, Memory] | None = None
    virtual: bool = False
    events: tuple[tuple[Pipe, Pipe, int], ...] = ()
    fill: Pipe | None = None
    dtypes: Dtypes = field(default_factory=lambda: ANY_TYPE)
    calls: tuple[str, ...] = ()
    route_events: Mapping[str, tuple[tuple[Pipe, Pipe, int], ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    mixes: bool = False
    scalar: str = "{}"
    waits: bool = False

    def events_on(self, route: str) -> tuple[tuple[Pipe, Pipe, int], ...]:
        """The flags that the template of a route uses itself."""
        return self.route_events.get(route, self.events)

    @property
    def every_event(self) -> tuple[tuple[Pipe, Pipe, int], ...]:
        """The flags that the template of any route uses itself."""
        return (*self.events, *(event for events in self.route_events.values() for event in events))

    @property
    def counted(self) -> tuple[str, ...]:
        """The device calls, as counted among the operations of a kernel."""
        return self.calls or (self.name,)


@dataclass(frozen=True, slots=True)
class Op:
    """One row.

    `name`: as written after `T.`. `kind`: tile (a statement on tiles), sync, value (yields a scalar),
    alloc, view (another name for a buffer's bytes), frame (`with T.x`), loop, type, annotation, host.
    `choose`: the rule that picks the form: `single`; `memories`, those of src and dst; `scalar`, the
    last form where the operand is no tile; `divisor`, the second where it is none and a product does,
    the last where that does not; `optional`, the last where the last operand is not given.
    `scratch`: rule for hidden scratch (`passes/scratch_*.py`). `checks`: rules of `checks/<family>.py`
    that apply. `status`: empty, or why it cannot be used and what to do instead; `defined` is False
    where T does not even have the name. `deprecated`: empty, or what replaces it. `renamed`: the name
    of T that takes the same arguments instead. `vararg`: the name
    behind `*`, after the parameters that are not given by keyword only. `by_element`: element k of each
    tile that is written depends on elements k alone; so do rows with the check `same_size`.
    `in_place`: the tile that is written may be one that is read. `unwritten`: why no route has code for
    a value that is computed on the device; empty where routes have.
    `lacking_on`: routes on which upstream's compiler has no code for it. `unordered`: upstream's
    automatic synchronisation passes it over.
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
    deprecated: str = ""
    renamed: str = ""
    defined: bool = True
    by_element: bool = False
    lacking_on: tuple[str, ...] = ()
    unordered: bool = False
    in_place: bool = False
    unwritten: str = ""

    @property
    def positional(self) -> tuple[Param, ...]:
        """The parameters that may be given without their names."""
        return tuple(param for param in self.params if not param.keyword)

    def index(self, name: str) -> int:
        """The position of a parameter. Errors: KeyError."""
        for at, param in enumerate(self.params):
            if param.name == name:
                return at
        raise KeyError(f"{self.name} has no parameter {name!r}")

    @property
    def dtypes(self) -> dict[str, frozenset[str]]:
        """The element types that some form takes, by platform; platforms without a table are missing."""
        found: dict[str, frozenset[str]] = {}
        for form in self.forms:
            for platform, kinds in form.dtypes.items():
                found[platform] = found.get(platform, frozenset()) | kinds
        return found

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
        shown = [_shown(param) for param in self.positional]
        named = [_shown(param) for param in self.params if param.keyword]
        if self.vararg or named:
            shown.append(f"*{self.vararg}")
        return f"T.{self.name}({', '.join([*shown, *named])})"


def _shown(param: Param) -> str:
    return param.name if param.default is REQUIRED else f"{param.name}={param.default!r}"
