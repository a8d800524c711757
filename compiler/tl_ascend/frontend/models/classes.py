"""Classes that make their own constructors: dataclasses, named tuples, enumerations."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.machine import Machine, python_error
from tl_ascend.frontend.values import (
    Builtin,
    ClassValue,
    EnumMember,
    Function,
    Instance,
    NamedTuple,
    Namespace,
    Unknown,
)
from tl_ascend.source.units import span_of
from tl_ascend.source.words import counted

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """`field(default=..., default_factory=...)` in a dataclass."""

    default: Any
    factory: Any
    given: bool


class Marker:
    """A class that we know by name: `Enum`, `IntEnum`, `NamedTuple`, `torch.Tensor`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


def install(program: Program) -> None:
    """`import dataclasses`, `import enum`."""
    program.externals["dataclasses"] = lambda: Namespace(
        "dataclasses",
        {
            "dataclass": Builtin("dataclass", _dataclass, True),
            "field": Builtin("field", _field, True),
            "replace": Builtin("replace", _replace, True),
            "asdict": Builtin("asdict", _asdict, True),
            "astuple": Builtin("astuple", _astuple, True),
        },
        lambda name: Unknown(f"dataclasses.{name} is not evaluated"),
    )
    kinds = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
    program.externals["enum"] = lambda: Namespace(
        "enum",
        {name: Marker(name) for name in kinds} | {"auto": Builtin("auto", _auto, True)},
        lambda name: Unknown(f"enum.{name} is not evaluated"),
    )
    program.attribute_models[EnumMember] = _member


def _member(m: Machine, node: ast.AST, owner: EnumMember, name: str) -> Any:
    from tl_ascend.frontend.attributes import bound_member

    if name in ("value", "_value_"):
        return owner.value
    if name in ("name", "_name_"):
        return owner.name
    return bound_member(m, node, owner, owner.cls, name)


def _auto(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return FieldSpec(None, None, False)


def _dataclass(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    def decorate(m: Machine, at: ast.AST, classes: list[Any], _: dict[str, Any]) -> Any:
        if classes and isinstance(classes[0], ClassValue):
            classes[0].special = classes[0].kind == "unknown" or not set(kwargs) <= {"slots"}
            classes[0].kind = "dataclass"
        return classes[0] if classes else None

    return decorate(m, node, args, {}) if args else Builtin("dataclass", decorate)


def _field(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    given = "default" in kwargs or "default_factory" in kwargs
    return FieldSpec(kwargs.get("default"), kwargs.get("default_factory"), given)


def _replace(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], Instance):
        fields = {n: v for n, v in args[0].attributes.items() if n in fields_of(args[0].cls)}
        return construct_fields(m, node, args[0].cls, [], {**fields, **kwargs})
    return Unknown("replace of an unknown object", span_of(node))


def _asdict(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or not isinstance(args[0], Instance) or kwargs or args[0].loose:
        return Unknown("asdict of an unknown object", span_of(node))
    values = {n: args[0].attributes.get(n) for n in fields_of(args[0].cls)}
    if any(isinstance(v, Instance) for v in values.values()):
        return Unknown("asdict of nested objects", span_of(node))
    return copied(values)


def _astuple(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    found = _asdict(m, node, args, kwargs)
    return tuple(found.values()) if isinstance(found, dict) else found


def copied(value: Any) -> Any:
    """A deep copy of containers and objects; what cannot change stays itself."""
    known: dict[int, Any] = {}

    def go(item: Any) -> Any:
        if id(item) in known:
            return known[id(item)]
        if isinstance(item, Instance):
            made = known[id(item)] = Instance(item.cls, {}, item.loose)
            made.attributes.update({k: go(v) for k, v in item.attributes.items()})
            return made
        if type(item) is list:
            again: list[Any] = []
            known[id(item)] = again
            again.extend(map(go, item))
            return again
        if type(item) is dict:
            return {k: go(v) for k, v in item.items()}
        if type(item) is tuple:
            return tuple(map(go, item))
        return set(item) if type(item) is set else item

    return go(value)


def finish_class(cls: ClassValue) -> None:
    """After its body: what known bases make of a class."""
    for base in cls.bases:
        if isinstance(base, Marker):
            cls.kind = "tuple" if base.name == "NamedTuple" else "enum"
            cls.whole = base.name in ("IntEnum", "IntFlag", "StrEnum")
            cls.decorated = base.name in ("Flag", "IntFlag")  # their members combine
        elif isinstance(base, ClassValue) and base.kind in ("dataclass", "enum"):
            cls.kind = cls.kind or base.kind
            cls.whole = cls.whole or base.whole
        if (
            isinstance(base, (Unknown, ClassValue))
            and getattr(base, "kind", "unknown") == "unknown"
        ):
            cls.kind = cls.kind or "unknown"
    if cls.kind == "enum":
        _make_members(cls)


def _make_members(cls: ClassValue) -> None:
    last: Any = 0
    found: list[tuple[str, Any]] = []
    for name, value in list(cls.attributes.items()):
        if name.startswith("_") or isinstance(value, (Function, EnumMember)):
            continue
        if isinstance(value, FieldSpec):
            value = last + 1 if isinstance(last, int) else Unknown("the value of auto()")
        last = value
        twin = next((n for n, v in found if type(v) is type(value) and v == value), None)
        if twin is None:
            found.append((name, value))
        member = value if cls.whole else EnumMember(cls, name, value)
        cls.attributes[name] = member if twin is None else cls.attributes[twin]
    cls.members = tuple(n for n, _ in found)


def fields_of(cls: ClassValue) -> list[str]:
    """Annotated names of a class and its bases, in order of their definition."""
    if cls.fields or not isinstance(cls.node, ast.ClassDef):
        return list(cls.fields)
    names: dict[str, None] = {}
    for base in cls.bases:
        if isinstance(base, ClassValue):
            names.update(dict.fromkeys(fields_of(base)))
    for item in cls.node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if "ClassVar" not in ast.unparse(item.annotation):
                names[item.target.id] = None
    return list(names)


def construct_fields(
    m: Machine, node: ast.AST, cls: ClassValue, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """`Config(1, b=2)` of a dataclass or named tuple. Errors: Mistake, as Python's TypeError."""
    names = fields_of(cls)
    if len(args) > len(names):
        text = f"{cls.name}() takes at most {counted(len(names), 'argument')}"
        raise python_error(node, TypeError(text))
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise python_error(node, TypeError(f"{cls.name}() has no parameter {name!r}"))
        values[name] = value
    for name in names:
        if name not in values:
            values[name] = _default(m, node, cls, name)
    if cls.kind == "tuple":
        return NamedTuple.of(cls, {name: values[name] for name in names})
    instance = Instance(cls, {name: values[name] for name in names})
    _post_init(m, node, instance)
    return instance


def _default(m: Machine, node: ast.AST, cls: ClassValue, name: str) -> Any:
    from tl_ascend.frontend.calls import invoke

    try:
        value = cls.find(name)
    except KeyError:
        text = f"{cls.name}() misses the argument {name!r}"
        raise python_error(node, TypeError(text)) from None
    if not isinstance(value, FieldSpec):
        return value
    if value.factory is not None:
        return invoke(m, node, value.factory, [], {})
    return value.default if value.given else Unknown(f"the field {name} has no default")


def _post_init(m: Machine, node: ast.AST, instance: Instance) -> None:
    from tl_ascend.frontend.calls import call_function

    try:
        method = instance.cls.find("__post_init__")
    except KeyError:
        return
    if isinstance(method, Function):
        call_function(m, node, method, [instance], {})
