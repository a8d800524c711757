"""Python's builtins and the methods of its containers, on known values."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.limits import (
    MAX_ITEMS,
    MAX_RANGE,
    check_builtin,
    check_method,
    items_of,
)
from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.models.classes import Marker
from tl_ascend.frontend.values import (
    Builtin,
    ClassValue,
    DTypeRef,
    Function,
    Instance,
    JitFactory,
    LoopSpec,
    Unknown,
    first_unknown,
    small,
)
from tl_ascend.ir import fold
from tl_ascend.ir.expr import Expr
from tl_ascend.source.units import span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program


def install(program: Program) -> None:
    """Builtins and container methods."""
    for name in _PLAIN:
        program.builtins[name] = Builtin(name, _plain(getattr(builtins, name)), True)
    for name, function in _SPECIAL.items():
        program.builtins[name] = Builtin(name, function, True)
    for kind, names in _METHODS.items():
        program.methods[kind] = {n: _method(kind, n) for n in names.split()}
    program.methods[DTypeRef] = program.methods[str]


_PLAIN = (
    "abs all any bool bytes chr complex dict divmod enumerate float frozenset hash hex int list "
    "oct ord pow repr reversed round set sorted str sum tuple zip"
).split()

_METHODS: dict[type, str] = {
    str: "capitalize count endswith find format index isdigit join lower lstrip partition replace "
    "rpartition rsplit rstrip split splitlines startswith strip title upper zfill",
    list: "append clear copy count extend index insert pop remove reverse sort",
    dict: "clear copy get items keys pop setdefault update values",
    tuple: "count index",
    set: "add copy difference discard intersection pop remove union update",
    int: "bit_length",
    float: "is_integer",
}


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin applied to known values; anything else is unknown."""

    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if function in (list, tuple, enumerate, zip, reversed, dict) and not kwargs:
            if all(isinstance(a, (list, tuple, dict, range, str, int, set)) for a in args):
                return _materialise(m, node, function, args)
        if not small((args, kwargs)):
            return Unknown("a value too large to be evaluated", span_of(node))
        unknown = first_unknown(args, kwargs)
        if unknown is not None:
            return unknown
        if function in (str, repr) and len(args) == 1 and isinstance(args[0], DTypeRef):
            return args[0].shown
        if not all(map(_is_plain, (*args, *kwargs.values()))):
            return _symbolic(node, function, args)
        return _native(m, node, lambda: _materialise(m, node, function, args, kwargs))

    return apply


def _symbolic(node: ast.AST, function: Callable[..., Any], args: list[Any]) -> Any:
    data = getattr(args[0], "data", None) if len(args) == 1 else None
    if data is not None and getattr(data, "size", 0) == 1 and function in (int, float, bool):
        return function(data.item())  # of a tensor with one known element
    if len(args) == 1 and isinstance(args[0], Expr):
        if function is int:
            return args[0]
        if function is abs:
            return fold.binary("max", args[0], fold.binary("*", args[0], -1))
    if function is sum and len(args) == 1 and isinstance(args[0], (list, tuple)):
        total: Any = 0
        for item in args[0]:
            if not isinstance(item, (int, float, Expr)):
                return Unknown("a sum of other values", span_of(node))
            total = fold.binary("+", total, item)
        return total
    name = getattr(function, "__name__", "builtin")
    return Unknown(f"{name}() of these values is not evaluated", span_of(node))


def _is_plain(value: Any) -> bool:
    if isinstance(value, (int, float, str, bytes, complex, type(None), range)):
        return not isinstance(value, str) or len(value) < MAX_ITEMS
    if isinstance(value, (list, tuple, set, frozenset)):
        return len(value) < MAX_ITEMS and all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    return False


def _materialise(
    m: Machine,
    node: ast.AST,
    function: Callable[..., Any],
    args: list[Any],
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """Iterators become lists: they may be walked several times. Large ones are not built."""
    sizes = [len(a) for a in args if isinstance(a, (range, list, tuple, str, dict))]
    if any(size > MAX_ITEMS for size in sizes):
        return Unknown("a sequence too long to be evaluated", span_of(node))
    check_builtin(getattr(function, "__name__", ""), args)
    m.budget.steps += sum(sizes) // 8
    value = function(*args, **(kwargs or {}))
    return list(value) if isinstance(value, (enumerate, zip, reversed)) else value


def _native(m: Machine, node: ast.AST, action: Callable[[], Any]) -> Any:
    try:
        return action()
    except (
        TypeError,
        ValueError,
        KeyError,
        IndexError,
        ZeroDivisionError,
        OverflowError,
        AttributeError,
    ) as error:
        return Unknown(f"{type(error).__name__}: {error}", span_of(node))


def _method(kind: type, name: str) -> Callable[..., Any]:
    function = getattr(kind, name)

    def apply(
        m: Machine, node: ast.AST, owner: Any, args: list[Any], kwargs: dict[str, Any]
    ) -> Any:
        if not small((owner, args, kwargs)):
            return Unknown("a value too large to be evaluated", span_of(node))
        if kind is str and first_unknown(args, kwargs) is not None:
            return first_unknown(args, kwargs)
        if kind is str and not all(map(_is_plain, (*args, *kwargs.values()))):
            args = [str(a) if not _is_plain(a) else a for a in args]
        if kwargs.get("key") is not None:
            return Unknown(f"{name}() with a key is not evaluated", span_of(node))
        check_method(owner, name, args)
        value = _native(m, node, lambda: function(owner, *args, **kwargs))
        return list(value) if name in ("items", "keys", "values") and kind is dict else value

    return apply


def _range(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar
    from tl_ascend.frontend.subscripts import difference

    values = [as_scalar(a) for a in args]
    unknown = first_unknown(values)
    if unknown is not None:
        return unknown
    if not 1 <= len(values) <= 3:
        return Unknown("a range of these arguments is not evaluated", span_of(node))
    if any(isinstance(v, int) and abs(v) > MAX_RANGE for v in values):
        return Unknown("a range too long to be evaluated", span_of(node))
    if values and all(isinstance(v, int) for v in values):
        return _native(m, node, lambda: range(*values))
    start, stop = (0, values[0]) if len(values) == 1 else (values[0], values[1])
    if len(values) > 2 or not all(isinstance(v, (int, Expr)) for v in values):
        return Unknown("a range with a symbolic step", span_of(node))
    return LoopSpec("serial", start, (difference(stop, start),), {})


def _len(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) == 1 and isinstance(args[0], (list, tuple, dict, str, set, range)):
        return len(args[0])
    shape = getattr(args[0], "shape", None) if args else None
    if isinstance(shape, tuple) and shape:  # of a tensor: its first dimension
        return shape[0]
    return first_unknown(args) or Unknown(
        "the length of this value is not evaluated", span_of(node)
    )


def _extremum(op: str) -> Callable[..., Any]:
    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from tl_ascend.frontend.expressions import as_scalar

        items = (
            items_of(args[0])
            if len(args) == 1 and isinstance(args[0], (list, tuple, range, set))
            else args
        )
        if isinstance(items, list) and len(args) == 1 and items is args:
            if isinstance(args[0], (str, dict)):
                return _native(m, node, lambda: {"min": min, "max": max}[op](args[0]))
            return first_unknown(args) or Unknown(f"{op}() of this value", span_of(node))
        values = [as_scalar(v) for v in items]
        unknown = first_unknown(values, kwargs)
        if unknown is not None or kwargs:
            return unknown or Unknown(f"{op}() with a key is not evaluated", span_of(node))
        if not values:
            return Unknown(f"{op}() of nothing", span_of(node))
        result = values[0]
        for value in values[1:]:
            if not isinstance(value, (int, float, Expr)) or not isinstance(
                result, (int, float, Expr)
            ):
                return _native(m, node, lambda: {"min": min, "max": max}[op](values))
            result = fold.binary(op, result, value)
        return result

    return apply


def _isinstance(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) != 2 or isinstance(args[0], Unknown):
        return first_unknown(args) or Unknown("isinstance is not evaluated", span_of(node))
    kinds = args[1] if isinstance(args[1], tuple) else (args[1],)
    value = args[0]
    for kind in kinds:
        if isinstance(value, Expr):
            # A symbolic size stands for a number that may or may not be known to Python.
            return Unknown("isinstance of a symbolic value", span_of(node))
        if isinstance(kind, Builtin) and isinstance(getattr(builtins, kind.name, None), type):
            if isinstance(value, getattr(builtins, kind.name)):
                return True
        elif isinstance(kind, ClassValue):
            if isinstance(value, Instance) and value.cls is kind:
                return True
        elif isinstance(kind, Marker):
            if kind.name == type(value).__name__.removeprefix("Host"):
                return True
        else:
            return Unknown("isinstance of a class that is not evaluated", span_of(node))
    return False


def _getattr(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.attributes import member

    if len(args) < 2 or not isinstance(args[1], str):
        return first_unknown(args) or Unknown("getattr with an unknown name", span_of(node))
    value = member(m, node, args[0], args[1])
    return (
        args[2]
        if isinstance(value, Unknown) and len(args) > 2 and not isinstance(args[0], Unknown)
        else value
    )


def _map(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.calls import invoke

    if len(args) < 2 or not all(isinstance(a, (list, tuple, range, str)) for a in args[1:]):
        return first_unknown(args) or Unknown("map of these values", span_of(node))
    pools = [items_of(a) for a in args[1:]]
    return [invoke(m, node, args[0], list(items), {}) for items in zip(*pools, strict=False)]


def _print(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return None


def _type(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    value = args[0] if args else None
    if isinstance(value, Instance):
        return value.cls
    found = m.program.builtins.get(type(value).__name__)
    return found or first_unknown(args) or Unknown("the type of this value", span_of(node))


def _callable(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], (Function, Builtin, ClassValue)):
        return True
    return first_unknown(args) or Unknown("callable() is not evaluated", span_of(node))


def _marker(name: str) -> Callable[..., Any]:
    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if args and isinstance(args[0], Function):
            args[0].decorated = (*args[0].decorated, name)
            return args[0]
        if args and isinstance(args[0], JitFactory) and name == "staticmethod":
            args[0].static = True
            return args[0]
        return Unknown(f"{name} of an unknown function", span_of(node))

    return apply


_SPECIAL: dict[str, Callable[..., Any]] = {
    "range": _range,
    "len": _len,
    "min": _extremum("min"),
    "max": _extremum("max"),
    "isinstance": _isinstance,
    "getattr": _getattr,
    "map": _map,
    "print": _print,
    "type": _type,
    "callable": _callable,
    "staticmethod": _marker("staticmethod"),
    "classmethod": _marker("classmethod"),
    "property": _marker("property"),
}
