"""Methods of Python's own types: texts, numbers, containers."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.changes import Stream, Unclear, forget, is_many
from tl_ascend.frontend.limits import check_method
from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.models.iteration import ordered
from tl_ascend.frontend.streams import VIEWS, attempted, drained, plain
from tl_ascend.frontend.values import (
    Builtin,
    DTypeRef,
    NamedTuple,
    Unknown,
    first_unknown,
    small,
)
from tl_ascend.source.units import span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program

# Methods that make bytes, or results of any size from a number.
_LEFT_OUT = frozenset("encode format_map to_bytes from_bytes maketrans hex fromhex".split())
_KINDS: tuple[type, ...] = (
    *(str, list, dict, tuple, set, frozenset, int, float, bool, complex, range, *VIEWS),
)
# What may be given an unknown value, which is then an element as any other.
_KEEPS = frozenset(
    ((list, "append"), (list, "insert"), (dict, "get"), (dict, "setdefault"), (dict, "pop"))
)
_CHANGES = frozenset(
    "append clear extend insert pop remove reverse sort popitem setdefault update add discard "
    "difference_update intersection_update symmetric_difference_update".split()
)
# Methods that walk over the elements without a look at them.
_MOVES = frozenset("append clear copy extend insert items keys pop popitem reverse values".split())


def install(program: Program) -> None:
    """Methods by type, and as attributes of the types themselves: `str.lower`, `dict.fromkeys`."""
    for kind in _KINDS:
        names = [n for n in dir(kind) if n[0] != "_" and n not in _LEFT_OUT]
        methods = {n: _method(kind, n) for n in names if callable(getattr(kind, n))}
        program.methods[kind] = methods
    program.methods[DTypeRef] = program.methods[str]
    program.attribute_models[Builtin] = _of_builtin
    program.attribute_models[NamedTuple] = _of_named_tuple


def _method(kind: type, name: str) -> Callable[..., Any]:
    function = getattr(kind, name)

    def apply(
        m: Machine, node: ast.AST, owner: Any, args: list[Any], kwargs: dict[str, Any]
    ) -> Any:
        if name in _CHANGES and kind in (list, dict, set):
            m.changing(owner)
        try:
            args = [drained(m, node, a) if isinstance(a, Stream) else a for a in args]
            return _called(m, node, kind, name, function, owner, args, kwargs)
        except Unclear as error:
            if name in _CHANGES:
                forget(owner, error.unknown)
            raise

    return apply


def _called(
    m: Machine,
    node: ast.AST,
    kind: type,
    name: str,
    function: Callable[..., Any],
    owner: Any,
    args: list[Any],
    kwargs: dict[str, Any],
) -> Any:
    if not small((owner, args, kwargs)):
        raise Unclear(Unknown("a value too large to be evaluated", span_of(node)))
    _check_known(kind, name, owner, args, kwargs, node)
    if kind is list and name == "sort" and not args:
        found = ordered(m, node, owner, kwargs)
        if isinstance(found, Unknown):
            raise Unclear(found)
        owner[:] = found
        return None
    if kind is str:
        if not all(map(plain, (*args, *kwargs.values()))):
            args = [str(a) if not plain(a) else a for a in args]
        if name == "format" and not all(plain(a, False) for a in (*args, *kwargs.values())):
            if "." in owner or "[" in owner:
                raise Unclear(Unknown("a format that looks into objects", span_of(node)))
    check_method(owner, name, args)
    return attempted(node, lambda: function(owner, *args, **kwargs), (owner, args, kwargs))


def _check_known(
    kind: type, name: str, owner: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST
) -> None:
    """Errors: Unclear, where the result depends on something unknown."""
    if is_many(owner) and name != "clear":
        raise Unclear(Unknown("what this holds is not known", span_of(node)))
    inner = first_unknown(owner)
    if inner is not None and name not in _MOVES:
        if kind is not dict or any(isinstance(k, Unknown) for k in owner):
            if name != "clear":
                raise Unclear(inner)
    if (kind, name) in _KEEPS:
        unknown = first_unknown(args[:1]) if (kind, name) != (list, "append") else None
    elif name in ("extend", "update") and kind in (list, dict):
        unknown = next((a for a in args if isinstance(a, Unknown) or is_many(a)), None)
        unknown = first_unknown(unknown)
    else:
        unknown = first_unknown(args, kwargs)
    if unknown is not None:
        raise Unclear(unknown)


def _of_builtin(m: Machine, node: ast.AST, owner: Builtin, name: str) -> Any:
    kind = getattr(builtins, owner.name, None)
    if name == "__name__" and kind is not None:
        return owner.name
    if kind is dict and name == "fromkeys":
        return Builtin(name, _fromkeys)
    method = m.program.methods.get(kind, {}).get(name) if isinstance(kind, type) else None
    if method is None:
        return Unknown(f"{owner.name}.{name} is not evaluated", span_of(node))

    def unbound(m: Machine, at: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if not args or not isinstance(kind, type) or not isinstance(args[0], kind):
            return first_unknown(args) or Unknown(f"{name} of another type", span_of(at))
        return method(m, at, args[0], args[1:], kwargs)

    return Builtin(name, unbound)


def _fromkeys(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    keys = drained(m, node, args[0]) if args else []
    unknown = first_unknown(keys)
    if unknown is not None or len(args) > 2 or kwargs or not all(map(plain, keys)):
        return unknown or Unknown("fromkeys of these values", span_of(node))
    return attempted(node, lambda: dict.fromkeys(keys, *args[1:]), keys)


def _of_named_tuple(m: Machine, node: ast.AST, owner: NamedTuple, name: str) -> Any:
    from tl_ascend.frontend.attributes import bound_member

    if name in owner.fields:
        return owner[owner.fields.index(name)]
    if name == "_fields":
        return owner.fields
    if name == "_asdict":
        return Builtin(
            name, lambda m, at, args, kwargs: dict(zip(owner.fields, owner, strict=True))
        )
    if name == "_replace":
        return Builtin(
            name,
            lambda m, at, args, kwargs: NamedTuple.of(
                owner.cls, {**dict(zip(owner.fields, owner, strict=True)), **kwargs}
            ),
        )
    method = m.program.methods[tuple].get(name)
    if method is not None:
        return Builtin(name, lambda m, at, args, kwargs: method(m, at, owner, args, kwargs))
    return bound_member(m, node, owner, owner.cls, name)
