"""Python's builtins, on known values."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.changes import Stream, is_many
from tl_ascend.frontend.limits import MAX_ITEMS, MAX_RANGE, check_builtin, check_format
from tl_ascend.frontend.machine import Machine, Mistake, python_error
from tl_ascend.frontend.models import inspection, iteration, methods
from tl_ascend.frontend.models.numbers import symbolic
from tl_ascend.frontend.streams import ITERABLE, attempted, drained, plain
from tl_ascend.frontend.values import (
    Builtin,
    ClassValue,
    DTypeRef,
    Instance,
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
    """Builtins and the methods of containers."""
    for name in _PLAIN:
        program.builtins[name] = Builtin(name, _plain(getattr(builtins, name)), True)
    for name, function in _SPECIAL.items():
        program.builtins[name] = Builtin(name, function, True)
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            program.builtins[name] = value
    iteration.install(program)
    inspection.install(program)
    methods.install(program)


_PLAIN = (
    "abs ascii bin bytes chr complex dict divmod float format frozenset hash hex int list oct ord "
    "pow repr round set slice str sum tuple"
).split()
_GATHERS = (list, tuple, set, frozenset, sum, dict, bytes)
_SHOWS = (str, repr, ascii, format, list, tuple, set, frozenset, dict, hash, slice)


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin applied to known values; anything else is unknown."""

    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if function in _GATHERS and args:
            args = [_gathered(m, node, args[0]), *args[1:]]
        if len(args) == 1 and not kwargs and isinstance(args[0], ITERABLE):
            if function in (list, tuple):
                return function(drained(m, node, args[0]))
            if function is dict and isinstance(args[0], dict):
                return dict(args[0])
        if not small((args, kwargs)):
            return Unknown("a value too large to be evaluated", span_of(node))
        unknown = first_unknown(args, kwargs)
        if unknown is not None and function is dict:
            return _dict_of(args, kwargs, unknown)
        if unknown is not None:
            return unknown
        if function in (str, repr) and len(args) == 1 and isinstance(args[0], DTypeRef):
            return args[0].shown
        if not all(plain(a, function in _SHOWS) for a in (*args, *kwargs.values())):
            return _symbolic(node, function, args)
        return _applied(m, node, function, args, kwargs)

    return apply


def _gathered(m: Machine, node: ast.AST, value: Any) -> Any:
    lazy = isinstance(value, Stream) or (isinstance(value, ClassValue) and value.kind == "enum")
    return drained(m, node, value) if lazy else value


def _dict_of(args: list[Any], kwargs: dict[str, Any], unknown: Unknown) -> Any:
    """Values may be unknown, keys must not."""
    if not args:
        return dict(kwargs)
    pairs = list(args[0].items()) if isinstance(args[0], dict) else args[0]
    whole = isinstance(pairs, list) and all(isinstance(p, tuple) and len(p) == 2 for p in pairs)
    if len(args) > 1 or not whole or any(not plain(k, False) for k, _ in pairs):
        return unknown
    try:
        return dict(pairs, **kwargs)
    except TypeError:
        return unknown


def _applied(
    m: Machine,
    node: ast.AST,
    function: Callable[..., Any],
    args: list[Any],
    kwargs: dict[str, Any],
) -> Any:
    sizes = [len(a) for a in args if isinstance(a, (range, list, tuple, str, dict))]
    if any(size > MAX_ITEMS for size in sizes):
        return Unknown("a sequence too long to be evaluated", span_of(node))
    check_builtin(getattr(function, "__name__", ""), args)
    if function is format and len(args) > 1 and isinstance(args[1], str):
        check_format(args[1])
    m.budget.steps += sum(sizes) // 8
    return attempted(node, lambda: function(*args, **kwargs), (args, kwargs))


def _symbolic(node: ast.AST, function: Callable[..., Any], args: list[Any]) -> Any:
    data = getattr(args[0], "data", None) if len(args) == 1 else None
    if data is not None and getattr(data, "size", 0) == 1 and function in (int, float):
        return function(data.item())  # of a tensor with one known element
    name = getattr(function, "__name__", "builtin")
    found = symbolic(name, args)
    if found is not None:
        return found
    if function is sum and len(args) == 1 and isinstance(args[0], (list, tuple)):
        total: Any = 0
        for item in args[0]:
            if not isinstance(item, (int, float, Expr)):
                return Unknown("a sum of other values", span_of(node))
            total = fold.binary("+", total, item)
        return total
    return Unknown(f"{name}() of these values is not evaluated", span_of(node))


def _bool(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import truth_of

    if len(args) == 1 and not kwargs:
        data = getattr(args[0], "data", None)
        if data is not None and getattr(data, "size", 0) == 1:
            return bool(data.item())
        truth = truth_of(args[0])
        return Unknown("bool() of a symbolic value") if isinstance(truth, Expr) else truth
    return _plain(bool)(m, node, args, kwargs)


def _range(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar
    from tl_ascend.frontend.subscripts import difference

    values = [as_scalar(a) for a in args]
    unknown = first_unknown(values)
    if unknown is not None:
        return unknown
    if any(isinstance(v, int) and abs(v) > MAX_RANGE for v in values):
        return Unknown("a range too long to be evaluated", span_of(node))
    if not any(isinstance(v, Expr) for v in values) and all(plain(v, False) for v in values):
        return attempted(node, lambda: range(*values, **kwargs), values)
    start, stop = (0, values[0]) if len(values) == 1 else (values[0], values[1])
    if len(values) > 2 or not all(isinstance(v, (int, Expr)) for v in values):
        return Unknown("a range with a symbolic step", span_of(node))
    return LoopSpec("serial", start, (difference(stop, start),), {})


def _len(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) == 1 and isinstance(args[0], ITERABLE):
        if is_many(args[0]) or (
            isinstance(args[0], (dict, set)) and any(isinstance(k, Unknown) for k in args[0])
        ):
            return Unknown("the length of a container that is not known", span_of(node))
        return len(args[0])
    if len(args) == 1 and isinstance(args[0], ClassValue) and args[0].kind == "enum":
        return len(args[0].members)
    if len(args) == 1 and (plain(args[0], False) or isinstance(args[0], Stream)):
        kind = args[0].name if isinstance(args[0], Stream) else type(args[0]).__name__
        raise python_error(node, TypeError(f"object of type {kind!r} has no len()"))
    shape = getattr(args[0], "shape", None) if args else None
    if isinstance(shape, tuple) and shape:  # of a tensor: its first dimension
        return shape[0]
    return first_unknown(args) or Unknown(
        "the length of this value is not evaluated", span_of(node)
    )


def _getattr(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.attributes import member

    if len(args) < 2 or not isinstance(args[1], str):
        return first_unknown(args) or Unknown("getattr with an unknown name", span_of(node))
    try:
        value = member(m, node, args[0], args[1])
    except Mistake as mistake:
        if len(args) > 2 and isinstance(mistake.error, AttributeError):
            return args[2]
        raise
    if isinstance(value, Unknown) and len(args) > 2 and not isinstance(args[0], Unknown):
        return value if isinstance(args[0], Instance) else args[2]
    return value


def _print(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return None


_SPECIAL: dict[str, Callable[..., Any]] = {
    "bool": _bool,
    "range": _range,
    "len": _len,
    "getattr": _getattr,
    "print": _print,
}
