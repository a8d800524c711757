"""The libraries around kernels, as far as kernels depend on them: argparse defaults, math,
itertools, functools."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.changes import Stream
from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.models.classes import Marker, copied
from tl_ascend.frontend.models.iteration import reduce
from tl_ascend.frontend.models.numbers import symbolic
from tl_ascend.frontend.streams import attempted, drained, plain
from tl_ascend.frontend.values import Builtin, Instance, Namespace, Unknown, first_unknown, small
from tl_ascend.ir.drawn import ROLE
from tl_ascend.ir.expr import Expr, Var
from tl_ascend.source.units import span_of
from tl_ascend.target.dtypes import FLOAT32, INT32

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program


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
            "copy": lambda: Namespace(
                "copy",
                {"copy": Builtin("copy", _copy), "deepcopy": Builtin("deepcopy", _deep_copy)},
                _opaque("copy"),
            ),
            "operator": _operators,
            "functools": _functools,
            "random": _random,
            "typing": _typing,
            "numpy": _numpy,
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
        return Var(name, m.fresh(), ROLE, low, high, INT32)
    return Var(name, m.fresh(), ROLE, None, None, FLOAT32)


def _typing() -> Namespace:
    names = {"TYPE_CHECKING": False, "NamedTuple": Marker("NamedTuple")}
    return Namespace("typing", names, _opaque("typing"))


def _opaque(name: str) -> Callable[[str], Any]:
    return lambda attribute: Unknown(f"{name}.{attribute} is not evaluated")


_NUMPY_INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


def _numpy() -> Namespace:
    """Integers of numpy and their product: sizes are made of them."""
    names = {name: Builtin(name, _numpy_integer(name)) for name in _NUMPY_INTEGERS}
    names |= {name: Builtin(name, _of_numpy(name)) for name in _NUMPY_FUNCTIONS}
    return Namespace("numpy", {**names, "prod": Builtin("prod", _product)}, _opaque("numpy"))


_NUMPY_FUNCTIONS = ("ceil", "floor", "trunc", "maximum", "minimum")


def _of_numpy(name: str) -> Callable[..., Any]:
    """Of whole numbers and their quotients. What numpy gives is a float, which no size is: as one it
    has to be converted, and is whole then."""

    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if len(args) == 1 and not kwargs and type(args[0]) in (int, float) and abs(args[0]) < 2**53:
            return float(getattr(math, name)(args[0])) if name in dir(math) else args[0]
        if len(args) == 2 and not kwargs and all(type(a) is int for a in args):
            return max(args) if name == "maximum" else min(args)
        return first_unknown(args, kwargs) or _of_symbols("numpy", name, node, args, kwargs)

    return apply


def _numpy_integer(name: str) -> Callable[..., Any]:
    signed = not name.startswith("u")
    bits = int(name.removeprefix("u").removeprefix("int")) - signed

    def convert(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        value = args[0] if len(args) == 1 and not kwargs else None
        if isinstance(value, int) and -(2**bits) * signed <= value < 2**bits:
            return int(value)
        return first_unknown(args) or Unknown(f"numpy.{name} of this value", span_of(node))

    return convert


def _product(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    items = args[0] if len(args) == 1 and not kwargs else None
    if isinstance(items, (list, tuple)) and all(type(i) is int for i in items):
        if small_numbers(items) and len(items) < 200 and math.prod(map(abs, items)) < 2**63:
            return math.prod(items)
    return first_unknown(args) or _of_symbols("numpy", "prod", node, args, kwargs)


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


_GROW = {math.factorial: 200, math.perm: 200, math.comb: 200}


def _known(function: Callable[..., Any], args: list[Any]) -> bool:
    if function in _GROW:
        return all(isinstance(a, int) and abs(a) <= _GROW[function] for a in args)
    if function is math.prod:
        items = args[0] if args else ()
        known = isinstance(items, (list, tuple, range)) and len(items) < 200
        return known and not any(isinstance(i, Expr) for i in items) and small_numbers(items)
    return all(plain(a, False) for a in args) and small_numbers(args)


def small_numbers(values: Any) -> bool:
    """True where no integer is of more digits than hardware has."""
    return all(not isinstance(v, int) or abs(v) < 2**64 for v in values)


def _numeric(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        unknown = first_unknown(args, kwargs)
        if unknown is not None:
            return unknown
        args = [drained(m, node, a) if isinstance(a, Stream) else a for a in args]
        values = [*args, *kwargs.values()]
        unknown = first_unknown(args)
        if unknown is not None or not _known(function, args) or not _known(math.sqrt, values[1:]):
            return unknown or _of_symbols("math", function.__name__, node, args, kwargs)
        return attempted(node, lambda: function(*args, **kwargs), values)

    return apply


def _of_symbols(
    module: str, name: str, node: ast.AST, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    found = None if kwargs else symbolic(name, args)
    if found is None:
        return Unknown(f"{module}.{name} of these values is not evaluated", span_of(node))
    return found


def _copy(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    value = args[0] if len(args) == 1 else Unknown("a copy of nothing", span_of(node))
    if isinstance(value, Instance) and not value.cls.defines("__copy__"):
        return Instance(value.cls, dict(value.attributes), value.loose)
    if isinstance(value, (list, dict, set)):
        return value.copy()
    return value if plain(value, False) else Unknown("a copy of this value", span_of(node))


def _deep_copy(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) == 1 and small(args[0]):
        return copied(args[0])
    return Unknown("a copy of this value", span_of(node))


_OPERATORS = {
    **{"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "truediv": "/", "mod": "%"},
    **{"pow": "**", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>"},
}


def _operators() -> Namespace:
    found = {name: Builtin(name, _operator(op), True) for name, op in _OPERATORS.items()}
    found["neg"] = Builtin("neg", _negated, True)
    return Namespace("operator", found, _opaque("operator"))


def _negated(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import binary

    if len(args) != 1 or kwargs or not isinstance(args[0], (int, float)):
        return first_unknown(args) or Unknown("neg of this value", span_of(node))
    return -args[0] if isinstance(args[0], float) else binary(m, node, "-", 0, args[0])


def _operator(op: str) -> Callable[..., Any]:
    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from tl_ascend.frontend.expressions import binary

        if len(args) != 2 or kwargs:
            return first_unknown(args) or Unknown("an operator of these values", span_of(node))
        return binary(m, node, op, *args)

    return apply


def _functools() -> Namespace:
    return Namespace(
        "functools",
        {
            "partial": Builtin("partial", _partial),
            "reduce": Builtin("reduce", reduce),
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
