"""The values that evaluation knows besides plain Python ones."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tl_ascend.diagnostics.report import Report
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

    __slots__ = ("function", "globals", "names", "parent", "redirect")

    def __init__(self, parent: Env | None = None, module: Module | None = None) -> None:
        self.names: dict[str, Any] = {}
        self.parent = parent
        self.globals: Module | None = module
        self.function = False
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
    # Rows of each parametrize decorator, innermost first.
    parameters: tuple[tuple[dict[str, Any], ...], ...] = ()

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "<lambda>"


@dataclass(eq=False, slots=True)
class KernelRecord:
    """One prim_func of one instance, as evaluated. `unknown`: why it cannot be checked whole."""

    name: str
    span: Span
    factory: str | None
    factory_span: Span | None
    arguments: tuple[tuple[str, Any], ...]
    kernel: Kernel | None = None
    options: Options = field(default_factory=Options)
    unknown: Unknown | None = None
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
    node: ast.ClassDef
    kind: str = ""  # dataclass, tuple or enum: what makes its objects
    whole: bool = False  # members of the enumeration are plain numbers or text

    def find(self, name: str) -> Any:
        """An attribute of the class or its bases. Errors: KeyError."""
        if name in self.attributes:
            return self.attributes[name]
        for base in self.bases:
            if isinstance(base, ClassValue):
                try:
                    return base.find(name)
                except KeyError:
                    continue
        raise KeyError(name)


@dataclass(eq=False, slots=True)
class Instance:
    """An object of a class of the user."""

    cls: ClassValue
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class BoundMethod:
    """A function of the user bound to its object."""

    owner: Any
    function: Function


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


def first_unknown(*values: Any) -> Unknown | None:
    """The first unknown among values, looking into tuples, lists and dictionaries."""
    stack = list(reversed(values))
    steps = 0
    while stack:
        value = stack.pop()
        if isinstance(value, Unknown):
            return value
        inner: Any = ()
        if isinstance(value, (tuple, list)):
            inner = value
        elif isinstance(value, dict):
            inner = list(value.values())
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
