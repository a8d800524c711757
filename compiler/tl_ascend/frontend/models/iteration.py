"""Builtins that walk over values: `zip`, `map`, `sorted`, `any`, and `itertools`."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.changes import Stream, Unclear
from tl_ascend.frontend.limits import MAX_ITEMS, TooLong
from tl_ascend.frontend.machine import Machine, Mistake, Raised, python_error
from tl_ascend.frontend.streams import ITERABLE, attempted, drained, generated, iterable, plain
from tl_ascend.frontend.values import (
    BoundMethod,
    Builtin,
    Function,
    Namespace,
    Unknown,
    first_unknown,
)
from tl_ascend.ir import fold
from tl_ascend.ir.expr import Expr
from tl_ascend.source.units import span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program

Call = Callable[[Machine, ast.AST, list[Any], dict[str, Any]], Any]
MAX_PRODUCT = 20_000


def install(program: Program) -> None:
    """Builtins, and `import itertools`."""
    for name, function in _BUILTINS.items():
        program.builtins[name] = Builtin(name, _watched(function), True)
    program.externals["itertools"] = lambda: Namespace(
        "itertools",
        {name: Builtin(name, _watched(function)) for name, function in _ITERTOOLS.items()},
        lambda name: Unknown(f"itertools.{name} is not evaluated"),
    )


def _watched(function: Call) -> Call:
    """Where it is not known what is walked over, functions that were given may run or not."""

    @wraps(function)
    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            return function(m, node, args, kwargs)
        except Unclear as error:
            for value in (*args, *kwargs.values()):
                may_run(m, node, value, error.unknown)
            raise

    return apply


def may_run(m: Machine, node: ast.AST, value: Any, why: Unknown) -> None:
    """A function of the user of which it is not known whether it runs."""
    from tl_ascend.frontend.calls import invoke

    function = value.function if isinstance(value, BoundMethod) else value
    if isinstance(function, Function) and m.builder is None:
        count = len(function.node.args.args) - isinstance(value, BoundMethod)
        with m.undecided(), suppress(Mistake, Raised):
            invoke(m, node, value, [why] * count, {})


def _lazy(function: Callable[..., Any], options: tuple[str, ...] = ()) -> Call:
    """An iterator over iterables: `zip`, `enumerate`, `itertools.chain`."""
    name = function.__name__

    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        walked = [a if _counts(function, i, a) else _held(m, node, a) for i, a in enumerate(args)]
        unknown = first_unknown(kwargs)
        if unknown is not None or not set(kwargs) <= set(options):
            return unknown or Unknown(f"{name}() with these options", span_of(node))
        if any(not plain(v, False) for v in kwargs.values()):
            return Unknown(f"{name}() with these options", span_of(node))
        _check_size(function, walked, kwargs)
        return Stream(attempted(node, lambda: function(*walked, **kwargs), walked), name)

    return apply


def _counts(function: Any, index: int, value: Any) -> bool:
    """Arguments that are numbers, not iterables."""
    return (
        index > 0 and function in (enumerate, itertools.islice, *_CHOICES) and plain(value, False)
    )


_CHOICES = (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement)


def _held(m: Machine, node: ast.AST, value: Any) -> Any:
    found = iterable(m, node, value)
    return found if isinstance(found, (Stream, list, dict, set)) else drained(m, node, found)


def _check_size(function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """These gather all before they give the first."""
    if function is itertools.product or function in _CHOICES:
        sizes = [len(a) for a in args if not isinstance(a, (int, Stream))]
        size = math.prod(sizes) ** max(int(kwargs.get("repeat", 1)), 0) if sizes else 0
        if any(isinstance(a, Stream) for a in args) or size > MAX_PRODUCT:
            raise TooLong(f"{function.__name__} of so many values is not evaluated")
        if function in _CHOICES and (not sizes or sizes[0] > 8):
            raise TooLong(f"{function.__name__} of so many values is not evaluated")


def _product(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    pools = [drained(m, node, a) for a in args]
    return _lazy(itertools.product, ("repeat",))(m, node, list(pools), kwargs)


def _map(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.calls import invoke

    if len(args) < 2:
        return first_unknown(args) or Unknown("map of these values", span_of(node))
    pools = [iterable(m, node, a) for a in args[1:]]

    def walk() -> Iterator[Any]:
        for items in zip(*pools, strict=False):
            m.tick()
            yield invoke(m, node, args[0], list(items), {})

    return generated(m, "map", walk)


def _filter(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.calls import invoke
    from tl_ascend.frontend.expressions import truth_of

    if len(args) != 2:
        return first_unknown(args) or Unknown("filter of these values", span_of(node))
    items = iterable(m, node, args[1])

    def walk() -> Iterator[Any]:
        for item in items:
            m.tick()
            truth = truth_of(item if args[0] is None else invoke(m, node, args[0], [item], {}))
            if not isinstance(truth, bool):
                raise Unclear(first_unknown(truth) or Unknown("a symbolic filter", span_of(node)))
            if truth:
                yield item

    return generated(m, "filter", walk)


def _reversed(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or not isinstance(args[0], ITERABLE):
        return first_unknown(args) or Unknown("reversed() of this value", span_of(node))
    iterable(m, node, args[0])
    return Stream(attempted(node, lambda: reversed(args[0]), args), "reversed")


def _iter(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1:
        return first_unknown(args) or Unknown("iter() with a sentinel", span_of(node))
    found = iterable(m, node, args[0])
    return (
        found if isinstance(found, Stream) else Stream(found, f"{type(args[0]).__name__}_iterator")
    )


def _next(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if not args or isinstance(args[0], Unknown):
        return first_unknown(args) or Unknown("next() of nothing", span_of(node))
    if not isinstance(args[0], Stream):
        if plain(args[0], False):
            kind = type(args[0]).__name__
            raise python_error(node, TypeError(f"{kind!r} object is not an iterator"))
        return Unknown("next() of this value", span_of(node))
    m.changing(args[0])
    try:
        return next(args[0])
    except StopIteration:
        if len(args) > 1:
            return args[1]
        raise python_error(node, StopIteration()) from None


def _any(stop: bool) -> Call:
    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from tl_ascend.frontend.expressions import truth_of

        if len(args) != 1:
            return first_unknown(args) or Unknown("any() of these values", span_of(node))
        unclear: Any = None
        for item in iterable(m, node, args[0]):
            m.tick()
            truth = truth_of(item)
            if truth is stop and unclear is None:
                return stop
            if not isinstance(truth, bool):
                unclear = unclear or truth
            elif truth is stop:
                return stop
        if isinstance(unclear, Expr):
            return Unknown("any() or all() of symbolic values", span_of(node))
        return unclear or not stop

    return apply


def keys_of(m: Machine, node: ast.AST, items: list[Any], key: Any) -> list[Any]:
    """What items are ordered by. Errors: Unclear."""
    from tl_ascend.frontend.calls import invoke

    keys = items if key is None else [invoke(m, node, key, [item], {}) for item in items]
    unknown = first_unknown(keys)
    if unknown is not None:
        raise Unclear(unknown)
    if not all(map(plain, keys)):
        raise Unclear(Unknown("the order of these values", span_of(node)))
    return keys


def ordered(
    m: Machine, node: ast.AST, items: list[Any], kwargs: dict[str, Any]
) -> list[Any] | Unknown:
    """`sorted(items, key=..., reverse=...)`."""
    from tl_ascend.frontend.expressions import truth_of

    backwards = truth_of(kwargs.get("reverse", False))
    if not isinstance(backwards, bool) or not set(kwargs) <= {"key", "reverse"}:
        return first_unknown(backwards) or Unknown("sorted() with these options", span_of(node))
    keys = keys_of(m, node, items, kwargs.get("key"))

    def sort() -> list[Any]:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=backwards)
        return [items[i] for i in order]

    m.budget.steps += len(items) // 8
    found: list[Any] | Unknown = attempted(node, sort, keys)
    return found


def _sorted(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1:
        return first_unknown(args) or Unknown("sorted() of these values", span_of(node))
    return ordered(m, node, drained(m, node, args[0]), kwargs)


def _extremum(op: str) -> Call:
    native: Callable[..., Any] = {"min": min, "max": max}[op]

    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from tl_ascend.frontend.expressions import as_scalar

        if (
            not args
            or not set(kwargs) <= {"key", "default"}
            or (len(args) > 1 and "default" in kwargs)
        ):
            return Unknown(f"{op}() with these arguments", span_of(node))
        items = drained(m, node, as_scalar(args[0])) if len(args) == 1 else args
        if not items:
            if "default" in kwargs:
                return kwargs["default"]
            raise python_error(node, ValueError(f"{op}() arg is an empty sequence"))
        if kwargs.get("key") is not None:
            keys = keys_of(m, node, items, kwargs["key"])
            at = attempted(node, lambda: native(range(len(items)), key=keys.__getitem__), keys)
            return at if isinstance(at, Unknown) else items[at]
        return _folded(node, op, native, [as_scalar(v) for v in items])

    return apply


def _folded(node: ast.AST, op: str, native: Callable[..., Any], values: list[Any]) -> Any:
    unknown = first_unknown(values)
    if unknown is not None:
        return unknown
    if any(isinstance(v, Expr) for v in values):
        if not all(isinstance(v, (int, float, Expr)) for v in values):
            return Unknown(f"{op}() of these values", span_of(node))
        result = values[0]
        for value in values[1:]:
            result = fold.binary(op, result, value)
        return result
    if not all(map(plain, values)):
        return Unknown(f"{op}() of these values", span_of(node))
    return attempted(node, lambda: native(values), values)


def _accumulate(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import binary

    if len(args) != 1 or kwargs:
        return Unknown("accumulate with a function", span_of(node))
    items = iterable(m, node, args[0])

    def walk() -> Iterator[Any]:
        total: Any = None
        for index, item in enumerate(items):
            total = item if index == 0 else binary(m, node, "+", total, item)
            yield total

    return generated(m, "accumulate", walk)


def _counting(function: Callable[..., Any]) -> Call:
    """`itertools.count` and `itertools.repeat`."""

    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        unknown = first_unknown(args[1:] if function is itertools.repeat else args, kwargs)
        if unknown is not None or not all(plain(a, False) for a in args):
            return unknown or Unknown(f"{function.__name__} of these values", span_of(node))
        return Stream(attempted(node, lambda: function(*args, **kwargs), args), function.__name__)

    return apply


def reduce(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`functools.reduce`."""
    from tl_ascend.frontend.calls import invoke

    if len(args) not in (2, 3) or kwargs:
        return first_unknown(args) or Unknown("reduce of these values", span_of(node))
    items = drained(m, node, args[1])
    if not items and len(args) == 2:
        raise python_error(node, TypeError("reduce() of empty iterable with no initial value"))
    total, rest = (args[2], items) if len(args) == 3 else (items[0], items[1:])
    for item in rest[:MAX_ITEMS]:
        total = invoke(m, node, args[0], [total, item], {})
    return total


_BUILTINS: dict[str, Call] = {
    "zip": _lazy(zip, ("strict",)),
    "enumerate": _lazy(enumerate, ("start",)),
    "map": _map,
    "filter": _filter,
    "reversed": _reversed,
    "iter": _iter,
    "next": _next,
    "any": _any(True),
    "all": _any(False),
    "sorted": _sorted,
    "min": _extremum("min"),
    "max": _extremum("max"),
}
_ITERTOOLS: dict[str, Call] = {
    "product": _product,
    "accumulate": _accumulate,
    "chain": _lazy(itertools.chain),
    "islice": _lazy(itertools.islice),
    "zip_longest": _lazy(itertools.zip_longest, ("fillvalue",)),
    "combinations": _lazy(itertools.combinations),
    "permutations": _lazy(itertools.permutations),
    "count": _counting(itertools.count),
    "repeat": _counting(itertools.repeat),
}
