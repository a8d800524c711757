"""Builtins that ask about objects and classes, and those that decorate methods."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.changes import forget
from tl_ascend.frontend.machine import Machine, Mistake
from tl_ascend.frontend.models.classes import Marker
from tl_ascend.frontend.values import (
    BoundMethod,
    Builtin,
    ClassValue,
    EnumMember,
    Function,
    Instance,
    JitFactory,
    NamedTuple,
    SuperRef,
    Unknown,
    first_unknown,
)
from tl_ascend.ir.expr import Expr
from tl_ascend.source.units import span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program


def install(program: Program) -> None:
    """`isinstance`, `type`, `super`, `property` and the like."""
    for name, function in _BUILTINS.items():
        program.builtins[name] = Builtin(name, function, True)


def is_instance(value: Any, kind: Any) -> bool | Unknown:
    """`isinstance(value, kind)`."""
    if isinstance(kind, tuple):
        found = [is_instance(value, k) for k in kind]
        return True if any(f is True for f in found) else first_unknown(found) or False
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Expr):
        # A symbolic size stands for a number that may or may not be known to Python.
        return Unknown("isinstance of a symbolic value")
    if isinstance(kind, Marker):
        return kind.name == type(value).__name__.removeprefix("Host")
    cls = value.cls if isinstance(value, (Instance, EnumMember, NamedTuple)) else None
    if isinstance(kind, ClassValue):
        return cls is not None and cls.derives(kind)
    native = getattr(builtins, kind.name, None) if isinstance(kind, Builtin) else kind
    if not isinstance(native, type):
        return Unknown("isinstance of a class that is not evaluated")
    if cls is not None and not isinstance(value, NamedTuple):
        if cls.exception is not None and issubclass(cls.exception, native):
            return True
        return Unknown("a class with unknown bases") if cls.kind == "unknown" else False
    return isinstance(value, native)


def _isinstance(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) != 2:
        return first_unknown(args) or Unknown("isinstance is not evaluated", span_of(node))
    return is_instance(*args)


def _issubclass(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) == 2 and all(isinstance(a, ClassValue) for a in args):
        return args[0].derives(args[1])
    if len(args) == 2 and all(isinstance(a, type) for a in args):
        return issubclass(*args)
    return first_unknown(args) or Unknown("issubclass is not evaluated", span_of(node))


def _type(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    value = args[0] if len(args) == 1 else Unknown("a class made by type()", span_of(node))
    if isinstance(value, (Instance, EnumMember, NamedTuple)):
        return value.cls
    if isinstance(value, BaseException):
        return type(value)
    found = m.program.builtins.get(type(value).__name__)
    return found or first_unknown(args) or Unknown("the type of this value", span_of(node))


def _callable(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], (Function, Builtin, ClassValue, BoundMethod)):
        return True
    return first_unknown(args) or Unknown("callable() is not evaluated", span_of(node))


def _hasattr(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.attributes import member

    if len(args) != 2 or not isinstance(args[1], str):
        return first_unknown(args) or Unknown("hasattr is not evaluated", span_of(node))
    try:
        value = member(m, node, *args)
    except Mistake as mistake:
        if isinstance(mistake.error, AttributeError):
            return False
        raise
    return value if isinstance(value, Unknown) else True


def _setattr(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.assignments import set_attribute

    if len(args) == 3 and isinstance(args[1], str):
        set_attribute(m, args[0], args[1], args[2])
    elif args:
        forget(args[0], Unknown("an attribute was set whose name is not known", span_of(node)))
    return None


def _super(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) == 2 and isinstance(args[0], ClassValue):
        return SuperRef(args[0], args[1])
    for frame in reversed(m.frames if not args else []):
        owner = frame.function.owner
        if owner is not None and frame.arguments:
            return SuperRef(owner, frame.arguments[0][1])
    return Unknown("super() is not evaluated here", span_of(node))


def marker(name: str) -> Callable[..., Any]:
    """A decorator that only leaves its name on the function."""

    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if args and isinstance(args[0], Function):
            args[0].decorated = (*args[0].decorated, name)
            return args[0]
        if args and isinstance(args[0], JitFactory) and name == "staticmethod":
            args[0].static = True
            return args[0]
        return Unknown(f"{name} of an unknown function", span_of(node))

    return apply


_BUILTINS: dict[str, Callable[..., Any]] = {
    "isinstance": _isinstance,
    "issubclass": _issubclass,
    "type": _type,
    "callable": _callable,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "super": _super,
    **{name: marker(name) for name in ("staticmethod", "classmethod", "property")},
}
