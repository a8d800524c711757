"""The values that evaluation knows besides plain Python ones."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tl_ascend.diagnostics.report import Report
from tl_ascend.frontend.limits import Opaque
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.hashed import Hashed
from tl_ascend.ir.nodes import Buffer, Kernel, Options, Region, Stmt
from tl_ascend.ops.row import Op
from tl_ascend.source.span import Span

if TYPE_CHECKING:
    from tl_ascend.frontend.machine import Machine
    from tl_ascend.frontend.modules import Module


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that evaluation does not know. `cause` is the first reason on the way here;
    `reported` is True where a finding already tells the author."""

    cause: str
    span: Span | None = None
    reported: bool = False
    many: bool = False  # as the only element of a container: what that holds is not known

    def standing(self, at: Span) -> Unknown:
        """The same with a place, where it has none yet."""
        return self if self.span is not None else replace(self, span=at)


class DTypeRef(str):
    """An element type as an object (`T.float16`, `torch.float16`): equal to its name, callable."""

    __slots__ = ()

    @property
    def shown(self) -> str:
        """What `str()` of it gives in Python."""
        return str(self)


class TorchDType(DTypeRef):
    """`torch.float16`, whose text is "torch.float16"."""

    __slots__ = ()

    @property
    def shown(self) -> str:
        return f"torch.{str(self)}"


class Env:
    """Names of one scope. Chain: block, function, enclosing functions, module."""

    __slots__ = ("function", "globals", "kind", "names", "parent", "redirect")

    def __init__(self, parent: Env | None = None, module: Module | None = None) -> None:
        self.names: dict[str, Any] = {}
        self.parent = parent
        self.globals: Module | None = module
        self.function = False
        self.kind = ""  # class or comprehension
        self.redirect: dict[str, Env] = {}  # names declared global or nonlocal

    def lookup(self, name: str) -> tuple[Any, Env] | None:
        env: Env | None = self
        while env is not None:
            if name in env.names:
                return env.names[name], env
            env = env.parent
        return None

    def owner(self) -> Env:
        """The nearest scope that belongs to a function or a module."""
        env = self
        while not env.function and env.parent is not None:
            env = env.parent
        return env

    def chain(self) -> Iterator[Env]:
        env: Env | None = self
        while env is not None:
            yield env
            env = env.parent


FunctionNode = ast.FunctionDef | ast.Lambda


@dataclass(eq=False, slots=True)
class Function:
    """A function of the user. `kind`: python or macro."""

    node: FunctionNode
    env: Env
    module: Module
    defaults: tuple[Any, ...] = ()
    kw_defaults: tuple[Any, ...] = ()
    kind: str = "python"
    decorated: tuple[str, ...] = ()
    owner: ClassValue | None = None  # the class in whose body it stands
    # Rows of each parametrize decorator, innermost first.
    parameters: tuple[tuple[dict[str, Any], ...], ...] = ()

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "<lambda>"


@dataclass(eq=False, slots=True)
class KernelRecord:
    """One prim_func of one instance, as evaluated. `unknown`: why it cannot be checked whole;
    `doubted`: and what else stands in it may not be run, or the author was told nothing."""

    name: str
    span: Span
    factory: str | None
    factory_span: Span | None
    arguments: tuple[tuple[str, Any], ...]
    kernel: Kernel | None = None
    options: Options = field(default_factory=Options)
    unknown: Unknown | None = None
    doubted: bool = False
    failed: bool = False
    values: list[tuple[Span, str, Any]] = field(default_factory=list)
    call_span: Span | None = None
    expected_to_fail: bool = False
    origin: str = "call"
    report: Report = field(default_factory=Report)
    around: tuple[Span, ...] = ()  # the functions that were running, outermost first
    assumed: bool = False  # an element type was assumed: hints only
    statements: int = 0
    content: Hashed | None = None  # of the kernel, once somebody asked
    variant: bool = False  # one of several ways to compile it of which none is certain
    of_import: bool = False  # made while an imported file was evaluated, by its own calls
    doubtful: bool = False  # of text that is damaged, or used by it: hints only


@dataclass(eq=False, slots=True)
class PrimFunc:
    """The value of a name defined by `@T.prim_func`."""

    record: KernelRecord


@dataclass(eq=False, slots=True)
class JitFactory:
    """A factory under `@tilelang.jit`; `settings` are the keywords of the decorator."""

    function: Function
    settings: Mapping[str, Any]
    spans: Mapping[str, Span]
    tuning: Any = None  # configurations of autotune: a list, a function, or None
    owner: Any = None  # the object whose method it is
    static: bool = False


@dataclass(eq=False, slots=True)
class KernelHandle:
    """A compiled kernel: what a jit factory or `tilelang.compile` returns."""

    record: KernelRecord


@dataclass(frozen=True, slots=True)
class OpRef:
    """A name of `T` (a row of the operation table)."""

    row: Op


@dataclass(eq=False, slots=True)
class Builtin:
    """Something that we model in Python: `call(machine, node, args, kwargs)`."""

    name: str
    call: Callable[[Machine, ast.AST, list[Any], dict[str, Any]], Any]
    known: bool = False  # the same for every program: its name says all


@dataclass(eq=False, slots=True)
class Namespace:
    """A module or object whose attributes we model. `fallback`: value of any other attribute;
    `lookup`: the same where it stands in a program, which may be a mistake."""

    name: str
    attributes: dict[str, Any]
    fallback: Callable[[str], Any] | None = None
    lookup: Callable[[Machine, ast.AST, str], Any] | None = None


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """`T.Tensor(shape, dtype)` in an annotation."""

    shape: Any
    dtype: Any


@dataclass(frozen=True, slots=True)
class LoopSpec:
    """`T.serial(...)`, `range(...)` and the like, before they are iterated."""

    kind: str
    start: Any
    extents: tuple[Any, ...]
    annotations: Mapping[str, Any]
    step: int = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """`T.Kernel(...)`, `T.Scope(...)`, `T.If(...)` and its branches before `with` enters them."""

    kind: str
    args: tuple[Any, ...]
    keywords: Mapping[str, Any]
    span: Span
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class TileCall:
    """A tile operation that was built. It only takes effect where a parsed statement emits it.
    `stmts`: what it emits, where that is not the operation itself."""

    row: Op
    args: tuple[Any, ...]
    span: Span
    spans: tuple[Span, ...]
    stmts: tuple[Stmt, ...] | None = None


@dataclass(eq=False, slots=True)
class ClassValue:
    """A class of the user."""

    name: str
    bases: tuple[Any, ...]
    attributes: dict[str, Any]
    node: ast.AST
    kind: str = ""  # dataclass, tuple or enum: what makes its objects
    whole: bool = False  # members of the enumeration are plain numbers or text
    members: tuple[str, ...] = ()  # of an enumeration
    decorated: bool = False  # by something that we do not know
    fields: tuple[str, ...] = ()  # of a named tuple without a class statement
    special: bool = False  # options of the decorator change how objects compare and show
    marks: tuple[str, ...] = ()  # of its tests: skip, xfail, perhaps

    def defines(self, *names: str) -> bool:
        """True where the class or one of its bases may define one of these."""
        if any(name in self.attributes for name in names) or self.kind == "unknown":
            return True
        return any(not _harmless(base, names) for base in self.bases)

    @property
    def exception(self) -> type[BaseException] | None:
        """The exception of Python from which it derives."""
        for base in self.bases:
            if isinstance(base, type) and issubclass(base, BaseException):
                return base
            if isinstance(base, ClassValue) and base.exception is not None:
                return base.exception
        return None

    def derives(self, other: Any) -> bool:
        """True for the class itself and for the classes derived from another."""
        return self is other or any(
            base.derives(other) if isinstance(base, ClassValue) else _derives(base, other)
            for base in self.bases
        )

    def find(self, name: str) -> Any:
        """An attribute of the class or its bases. Errors: KeyError."""
        if name in self.attributes:
            return self.attributes[name]
        return self.find_above(name)

    def find_above(self, name: str) -> Any:
        """An attribute of the bases. Errors: KeyError."""
        for base in self.bases:
            if isinstance(base, ClassValue):
                try:
                    return base.find(name)
                except KeyError:
                    continue
        raise KeyError(name)


def _derives(base: Any, other: Any) -> bool:
    return isinstance(base, type) and isinstance(other, type) and issubclass(base, other)


def _harmless(base: Any, names: tuple[str, ...]) -> bool:
    if isinstance(base, ClassValue):
        return not base.defines(*names)
    plain = base is object or (isinstance(base, type) and issubclass(base, BaseException))
    return plain or getattr(base, "name", "") in ("Enum", "IntEnum", "NamedTuple", "object")


_Ordered = Callable[[Any, Any], bool]
_ORDERS = ("__lt__", "__le__", "__gt__", "__ge__")


@dataclass(eq=False, slots=True, repr=False)
class Instance:
    """An object of a class of the user. Python's own functions may compare, show and hash it as
    Python would; where the class says how, they raise Opaque."""

    cls: ClassValue
    attributes: dict[str, Any] = field(default_factory=dict)
    loose: bool = False  # it may have other attributes than these

    def _fields(self) -> list[Any] | None:
        """What a dataclass compares by, None where objects compare by identity."""
        if self.loose or self.cls.special or first_unknown(self.attributes) is not None:
            raise Opaque(f"how objects of {self.cls.name} compare is not evaluated")
        return list(self.attributes.values()) if self.cls.kind == "dataclass" else None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        for side in (self, other):
            if isinstance(side, Instance) and side.cls.defines("__eq__"):
                raise Opaque(f"{side.cls.name} defines how it compares")
        if not isinstance(other, Instance) or self.cls is not other.cls:
            return False
        fields = self._fields()
        return fields is not None and fields == other._fields()

    def __hash__(self) -> int:
        if self.cls.kind == "dataclass" or self.cls.defines("__eq__", "__hash__"):
            raise Opaque(f"{self.cls.name} defines how it compares")
        return id(self)

    def __bool__(self) -> bool:
        if self.cls.defines("__bool__", "__len__"):
            raise Opaque(f"{self.cls.name} defines its truth")
        return True

    def __repr__(self) -> str:
        if self.cls.exception is not None and not self.cls.defines("__repr__"):
            return f"{self.cls.name}{_argument_text(self)}"
        if self.cls.kind != "dataclass" or self.cls.defines("__repr__"):
            raise Opaque(f"the text of an object of {self.cls.name} is not evaluated")
        self._fields()
        inner = ", ".join(f"{k}={v!r}" for k, v in self.attributes.items())
        return f"{self.cls.name}({inner})"

    def __str__(self) -> str:
        if self.cls.defines("__str__", "__format__"):
            raise Opaque(f"{self.cls.name} defines its text")
        kind = self.cls.exception
        return str(kind(*_arguments(self))) if kind is not None else repr(self)

    def _order(self, other: Any) -> bool:
        for side in (self, other):
            cls = side.cls if isinstance(side, Instance) else None
            if cls is not None and (cls.special or cls.defines(*_ORDERS)):
                raise Opaque(f"{cls.name} defines how it is ordered")
        return NotImplemented  # type: ignore[no-any-return]

    __lt__: _Ordered = _order
    __le__: _Ordered = _order
    __gt__: _Ordered = _order
    __ge__: _Ordered = _order


def _arguments(exception: Instance) -> tuple[Any, ...]:
    found = exception.attributes.get("args")
    if not isinstance(found, tuple) or first_unknown(found) is not None:
        raise Opaque("the arguments of an exception are not known")
    return found


def _argument_text(exception: Instance) -> str:
    inner = ", ".join(map(repr, _arguments(exception)))
    return f"({inner})"


@dataclass(frozen=True, slots=True, repr=False)
class EnumMember:
    """A member of an enumeration of the user."""

    cls: ClassValue
    name: str
    value: Any

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        if self.cls.defines("__eq__"):
            raise Opaque(f"{self.cls.name} defines how it compares")
        same = isinstance(other, EnumMember) and self.cls.node is other.cls.node
        return same and isinstance(other, EnumMember) and self.name == other.name

    def __str__(self) -> str:
        if self.cls.defines("__str__", "__format__"):
            raise Opaque(f"{self.cls.name} defines its text")
        return f"{self.cls.name}.{self.name}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        if self.cls.defines("__repr__"):
            raise Opaque(f"{self.cls.name} defines its text")
        return f"<{self.cls.name}.{self.name}: {self.value!r}>"


class DefaultDict(dict[Any, Any]):
    """A `collections.defaultdict`."""

    factory: Any = None

    def __repr__(self) -> str:
        raise Opaque("the text of a defaultdict is not evaluated")


class NamedTuple(tuple[Any, ...]):
    """An object of a named tuple of the user."""

    cls: ClassValue
    fields: tuple[str, ...]

    @classmethod
    def of(cls, kind: ClassValue, values: dict[str, Any]) -> NamedTuple:
        made = cls(values.values())
        made.cls = kind
        made.fields = tuple(values)
        return made

    def __repr__(self) -> str:
        inner = ", ".join(f"{k}={v!r}" for k, v in zip(self.fields, self, strict=True))
        return f"{self.cls.name}({inner})"


@dataclass(eq=False, slots=True)
class BoundMethod:
    """A function of the user bound to its object."""

    owner: Any
    function: Function


@dataclass(frozen=True, slots=True)
class SuperRef:
    """`super()` in a method of `cls`."""

    cls: ClassValue
    owner: Any

    def find(self, name: str) -> Any:
        """An attribute of the bases. Errors: KeyError."""
        return self.cls.find_above(name)


MAX_SIZE = 50_000


def small(value: Any, limit: int = MAX_SIZE) -> bool:
    """False where walking a value would take over `limit` steps; shared parts count each time."""
    stack = [value]
    steps = 0
    while stack:
        item = stack.pop()
        steps += 1
        if isinstance(item, (list, tuple, set, frozenset)):
            steps += len(item)
            if steps <= limit:
                stack.extend(i for i in item if isinstance(i, (list, tuple, dict, set)))
        elif isinstance(item, dict):
            steps += len(item)
            if steps <= limit:
                stack.extend(i for i in item.values() if isinstance(i, (list, tuple, dict, set)))
        if steps > limit:
            return False
    return True


def is_unknown(value: Any) -> bool:
    return isinstance(value, Unknown)


_PLAIN = frozenset({bool, int, float, str, type(None)})
_HOLD_NOTHING: set[type] = set()  # others that were seen
_MAY_HOLD = (Unknown, tuple, frozenset, NamedTuple)


def first_unknown(*values: Any) -> Unknown | None:
    """The first unknown among values, looking into tuples, lists and dictionaries."""
    stack = list(reversed(values))
    steps = 0
    while stack:
        value = stack.pop()
        if type(value) in _PLAIN or type(value) in _HOLD_NOTHING:
            continue
        if isinstance(value, Unknown):
            return value
        inner: Any = ()
        if isinstance(value, (tuple, list)):
            inner = value
        elif isinstance(value, dict):
            inner = [*value.values(), *(k for k in value if type(k) in _MAY_HOLD)]
        elif isinstance(value, (set, frozenset)):
            inner = [v for v in value if type(v) in _MAY_HOLD]
        elif isinstance(value, BaseException):
            inner = value.args
        elif isinstance(value, slice):
            inner = (value.start, value.stop, value.step)
        else:
            _HOLD_NOTHING.add(type(value))
        steps += len(inner)
        if steps > 4 * MAX_SIZE:
            return Unknown("a value too large to be evaluated")
        stack.extend(reversed(inner))
    return None


def describe(value: Any) -> str:
    """A value as an author would write it, for instance labels and messages."""
    if isinstance(value, DTypeRef):
        return f'"{value}"'
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Unknown):
        return "?"
    if isinstance(value, (Buffer, Function)):
        return value.name
    if isinstance(value, Region):
        return value.buffer.name
    if isinstance(value, (list, tuple, dict)):
        return _describe_container(value)
    if isinstance(value, (PrimFunc, KernelHandle)):
        return value.record.name
    if isinstance(value, Instance):
        inner = ", ".join(f"{k}={describe(v)}" for k, v in value.attributes.items())
        return f"{value.cls.name}({inner})"
    if isinstance(value, ClassValue):
        return value.name
    if isinstance(value, (int, float, bool, type(None), Expr)):
        return repr(value)
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else f"<{type(value).__name__}>"


def _describe_container(value: list[Any] | tuple[Any, ...] | dict[Any, Any]) -> str:
    pairs = {list: ("[", "]"), tuple: ("(", ")")}
    left, right = pairs.get(type(value), ("{", "}"))
    if not small(value, 200):
        return f"{left}...{right}"
    if isinstance(value, dict):
        inner = ", ".join(f"{describe(k)}: {describe(v)}" for k, v in value.items())
    else:
        inner = ", ".join(map(describe, value))
    return f"{left}{inner}{right}"
