"""Classes that make their own constructors: dataclasses, named tuples, enumerations."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.machine import Machine, Mistake
from tl_ascend.frontend.values import (
    Builtin,
    ClassValue,
    Function,
    Instance,
    Namespace,
    Unknown,
)
from tl_ascend.source.units import span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enumeration of the user."""

    cls: str
    name: str
    value: Any

    def __str__(self) -> str:
        return f"{self.cls}.{self.name}"


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
    if name == "value":
        return owner.value
    return owner.name if name == "name" else Unknown(f"{owner}.{name} is not evaluated")


def _auto(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return FieldSpec(None, None, False)


def _dataclass(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    def decorate(m: Machine, at: ast.AST, classes: list[Any], _: dict[str, Any]) -> Any:
        if classes and isinstance(classes[0], ClassValue):
            classes[0].kind = "dataclass"
        return classes[0] if classes else None

    return decorate(m, node, args, {}) if args else Builtin("dataclass", decorate)


def _field(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    given = "default" in kwargs or "default_factory" in kwargs
    return FieldSpec(kwargs.get("default"), kwargs.get("default_factory"), given)


def _replace(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], Instance):
        return Instance(args[0].cls, {**args[0].attributes, **kwargs})
    return Unknown("replace of an unknown object", span_of(node))


def finish_class(cls: ClassValue) -> None:
    """After its body: what known bases make of a class."""
    for base in cls.bases:
        if isinstance(base, Marker):
            cls.kind = "tuple" if base.name == "NamedTuple" else "enum"
            cls.whole = base.name in ("IntEnum", "IntFlag", "StrEnum")
        elif isinstance(base, ClassValue) and base.kind in ("dataclass", "enum"):
            cls.kind = cls.kind or base.kind
            cls.whole = cls.whole or base.whole
    if cls.kind == "enum":
        _make_members(cls)


def _make_members(cls: ClassValue) -> None:
    count = 0
    for name, value in list(cls.attributes.items()):
        if name.startswith("_") or isinstance(value, (Function, EnumMember)):
            continue
        count += 1
        number = count if isinstance(value, FieldSpec) else value
        cls.attributes[name] = number if cls.whole else EnumMember(cls.name, name, number)


def fields_of(cls: ClassValue) -> list[str]:
    """Annotated names of a class and its bases, in order of their definition."""
    names: dict[str, None] = {}
    for base in cls.bases:
        if isinstance(base, ClassValue):
            names.update(dict.fromkeys(fields_of(base)))
    for item in cls.node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            names[item.target.id] = None
    return list(names)


def construct_fields(
    m: Machine, node: ast.AST, cls: ClassValue, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """`Config(1, b=2)` of a dataclass or named tuple. Errors: Mistake, as Python's TypeError."""
    names = fields_of(cls)
    if len(args) > len(names):
        raise Mistake("python-error", node, f"{cls.name}() takes at most {len(names)} arguments")
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise Mistake("python-error", node, f"{cls.name}() has no parameter {name!r}")
        values[name] = value
    for name in names:
        if name not in values:
            values[name] = _default(m, node, cls, name)
    instance = Instance(cls, {name: values[name] for name in names})
    _post_init(m, node, instance)
    return instance


def _default(m: Machine, node: ast.AST, cls: ClassValue, name: str) -> Any:
    from tl_ascend.frontend.calls import invoke

    try:
        value = cls.find(name)
    except KeyError:
        raise Mistake("python-error", node, f"{cls.name}() misses the argument {name!r}") from None
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
