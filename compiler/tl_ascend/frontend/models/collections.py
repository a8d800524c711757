"""`collections`: named tuples and dictionaries with defaults."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.machine import Machine, python_error
from tl_ascend.frontend.streams import plain
from tl_ascend.frontend.subscripts import item
from tl_ascend.frontend.values import (
    Builtin,
    ClassValue,
    DefaultDict,
    Namespace,
    Unknown,
    first_unknown,
)
from tl_ascend.source.units import span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program


def install(program: Program) -> None:
    """`import collections`."""
    program.externals["collections"] = lambda: Namespace(
        "collections",
        {
            "namedtuple": Builtin("namedtuple", _namedtuple, True),
            "defaultdict": Builtin("defaultdict", _defaultdict, True),
        },
        lambda name: Unknown(f"collections.{name} is not evaluated"),
    )
    program.subscript_models[DefaultDict] = _element
    program.methods[DefaultDict] = {
        name: method for name, method in program.methods[dict].items() if name != "copy"
    }


def _namedtuple(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    names: Any = args[1] if len(args) == 2 else Unknown("a named tuple with options", span_of(node))
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    whole = isinstance(names, (list, tuple)) and all(isinstance(n, str) for n in names)
    if not whole or not isinstance(args[0], str) or not set(kwargs) <= {"defaults"}:
        return first_unknown(names) or Unknown("this named tuple is not evaluated", span_of(node))
    given = kwargs.get("defaults", ())
    if not isinstance(given, (list, tuple)) or len(given) > len(names):
        return Unknown("the defaults of a named tuple", span_of(node))
    defaults = dict(zip(names[len(names) - len(given) :], given, strict=True))
    return ClassValue(args[0], (), defaults, node, "tuple", fields=tuple(names))


def _defaultdict(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    factory, *rest = args or [None]
    if rest and (len(rest) > 1 or not isinstance(rest[0], dict)):
        return first_unknown(rest) or Unknown("a defaultdict of these values", span_of(node))
    found = DefaultDict(*rest, **kwargs)
    found.factory = factory
    return found


def _element(m: Machine, node: ast.AST, owner: DefaultDict, index: Any) -> Any:
    from tl_ascend.frontend.calls import invoke

    unknown = first_unknown(index, list(owner)) or first_unknown(owner.factory)
    if unknown is not None or not plain(index):
        return unknown or Unknown("an element by an unknown key", span_of(node))
    if owner.factory is None:
        return item(m, node, dict(owner), index)
    try:
        if index not in owner:
            m.changing(owner)
            owner[index] = invoke(m, node, owner.factory, [], {})
    except TypeError as error:
        raise python_error(node, error) from None
    return owner[index]
