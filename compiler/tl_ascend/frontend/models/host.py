"""The libraries around kernels, as far as kernels depend on them: argparse defaults, math,
itertools, functools."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.limits import items_of
from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.models.classes import Marker
from tl_ascend.frontend.values import Builtin, Namespace, Unknown, first_unknown
from tl_ascend.ir.expr import Var
from tl_ascend.source.units import span_of
from tl_ascend.target.dtypes import FLOAT32, INT32

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program

MAX_PRODUCT = 20_000


def install(program: Program) -> None:
    """Namespaces for `import`."""
    program.externals.update(
        {
            "argparse": lambda: Namespace(
                "argparse",
                {"ArgumentParser": Builtin("ArgumentParser", _parser)},
                _opaque("argparse"),
            ),
            "math": _math,
            "itertools": lambda: Namespace(
                "itertools", {"product": Builtin("product", _product)}, _opaque("itertools")
            ),
            "functools": _functools,
            "random": _random,
            "typing": lambda: Namespace(
                "typing",
                {"TYPE_CHECKING": False, "NamedTuple": Marker("NamedTuple")},
                _opaque("typing"),
            ),
        }
    )
    program.attribute_models[Parser] = _parser_member


def _random() -> Namespace:
    names = {name: Builtin(name, _drawn) for name in ("randint", "randrange", "uniform", "random")}
    silent = Builtin("seed", lambda m, node, args, kwargs: None)
    return Namespace("random", {**names, "seed": silent}, _opaque("random"))


def _drawn(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A number that each run of the program draws anew: a symbol within its bounds."""
    name = (
        node.func.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else "random"
    )
    if name in ("randint", "randrange") and args and all(isinstance(a, int) for a in args):
        low = args[0] if len(args) > 1 else 0
        high = args[min(1, len(args) - 1)] - (name == "randrange")
        return Var(name, m.fresh(), "shape", low, high, INT32)
    return Var(name, m.fresh(), "shape", None, None, FLOAT32)


def _typing() -> Namespace:
    names = {"TYPE_CHECKING": False, "NamedTuple": Marker("NamedTuple")}
    return Namespace("typing", names, _opaque("typing"))


def _opaque(name: str) -> Callable[[str], Any]:
    return lambda attribute: Unknown(f"{name}.{attribute} is not evaluated")


class Parser:
    """An `argparse.ArgumentParser`: destinations and their defaults."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}


def _parser(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Parser()


def _parser_member(m: Machine, node: ast.AST, owner: Parser, name: str) -> Any:
    if name == "add_argument":
        return Builtin(name, lambda m, at, args, kwargs: _add_argument(m, at, owner, args, kwargs))
    if name == "parse_args":
        return Builtin(name, lambda m, at, args, kwargs: _parsed(owner))
    if name == "parse_known_args":
        return Builtin(name, lambda m, at, args, kwargs: (_parsed(owner), []))
    if name in ("add_argument_group", "add_mutually_exclusive_group"):
        return Builtin(name, lambda m, at, args, kwargs: owner)
    if name == "set_defaults":
        return Builtin(name, lambda m, at, args, kwargs: owner.values.update(kwargs))
    return Unknown(f"ArgumentParser.{name} is not evaluated", span_of(node))


def _parsed(owner: Parser) -> Namespace:
    return Namespace("the command line", dict(owner.values))


def _add_argument(
    m: Machine, node: ast.AST, owner: Parser, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    flags = [a for a in args if isinstance(a, str)]
    name = kwargs.get("dest") or next(
        (f for f in flags if f.startswith("--")), flags[0] if flags else ""
    )
    if not isinstance(name, str) or not name:
        return None
    name = name.lstrip("-").replace("-", "_")
    owner.values[name] = _default(m, node, name, kwargs)
    return None


def _default(m: Machine, node: ast.AST, name: str, kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.calls import invoke

    action = kwargs.get("action")
    if action in ("store_true", "store_false"):
        return kwargs.get("default", action == "store_false")
    if "default" not in kwargs:
        if kwargs.get("required") or not any("default" in k for k in kwargs):
            return (
                Unknown(f"option {name} has no default", span_of(node))
                if kwargs.get("required")
                else None
            )
    value = kwargs.get("default")
    convert = kwargs.get("type")
    if isinstance(value, str) and convert is not None:
        return invoke(m, node, convert, [value], {})
    return value


def _math() -> Namespace:
    attributes: dict[str, Any] = {}
    for name in dir(math):
        value = getattr(math, name)
        if callable(value):
            attributes[name] = Builtin(name, _numeric(value))
        elif isinstance(value, float):
            attributes[name] = value
    return Namespace("math", attributes)


def _numeric(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        unknown = first_unknown(args, kwargs)
        if unknown is not None:
            return unknown
        if not all(isinstance(a, (int, float)) and abs(a) < 2**64 for a in args) or kwargs:
            return Unknown("this call of math is not evaluated", span_of(node))
        if function in (math.factorial, math.perm, math.comb):
            return Unknown("this call of math is not evaluated", span_of(node))
        try:
            return function(*args)
        except (ValueError, TypeError, OverflowError) as error:
            return Unknown(str(error), span_of(node))

    return apply


def _product(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    pools = [items_of(a) for a in args if isinstance(a, (list, tuple, range, str))]
    size = math.prod(map(len, pools)) if pools else 0
    if len(pools) != len(args) or size > MAX_PRODUCT or kwargs:
        return first_unknown(args) or Unknown("this product is not evaluated", span_of(node))
    return list(itertools.product(*pools))


def _functools() -> Namespace:
    return Namespace(
        "functools",
        {
            "partial": Builtin("partial", _partial),
            "lru_cache": Builtin("lru_cache", _same_function),
            "cache": Builtin("cache", _same_function),
            "wraps": Builtin(
                "wraps", lambda m, node, args, kwargs: Builtin("wraps", _same_function)
            ),
        },
        _opaque("functools"),
    )


def _same_function(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A decorator that leaves a function what it is, with or without its own call."""
    if args and not isinstance(args[0], (int, type(None))):
        return args[0]
    return Builtin("decorator", _same_function)


def _partial(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.calls import invoke

    if not args:
        return Unknown("partial of nothing", span_of(node))
    first, rest = args[0], args[1:]

    def apply(m: Machine, at: ast.AST, more: list[Any], extra: dict[str, Any]) -> Any:
        return invoke(m, at, first, [*rest, *more], {**kwargs, **extra})

    return Builtin("partial", apply)
