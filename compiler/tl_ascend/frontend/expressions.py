"""What expressions mean: on Python values as in Python, on symbolic ones as in a kernel."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from tl_ascend.frontend.attributes import attribute
from tl_ascend.frontend.calls import call
from tl_ascend.frontend.changes import Stream, Unclear, is_many
from tl_ascend.frontend.limits import MAX_TEXT, Opaque, TooLong, check_format
from tl_ascend.frontend.machine import Machine, expression, python_error
from tl_ascend.frontend.models.numbers import negative
from tl_ascend.frontend.streams import NATIVE, attempted, certain, drained, plain
from tl_ascend.frontend.subscripts import subscript
from tl_ascend.frontend.values import (
    BoundMethod,
    Builtin,
    ClassValue,
    DTypeRef,
    EnumMember,
    Function,
    Instance,
    TorchDType,
    Unknown,
    describe,
    first_unknown,
    small,
)
from tl_ascend.ir import fold
from tl_ascend.ir.expr import MAX_DEPTH, Expr, Load
from tl_ascend.ir.floors import is_floor
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.source.units import span_of

MAX_SEQUENCE = 100_000


@expression(ast.Constant)
def _constant(_: Machine, node: ast.Constant) -> Any:
    if isinstance(node.value, int) and node.value.bit_length() > fold.MAX_INT_BITS:
        return Unknown("a number with too many digits", span_of(node))
    return node.value


@expression(ast.Name)
def _name(m: Machine, node: ast.Name) -> Any:
    found = m.env.lookup(node.id)
    if found is not None:
        value, env = found
        if env.globals is not None:
            m.program.note_read(env.globals, node.id, value)
        return variable(value)
    builtin = m.program.builtins.get(node.id)
    if builtin is not None:
        return builtin
    return m.program.missing_name(m, node)


def variable(value: Any) -> Any:
    """Reading a `T.alloc_var` yields its current value."""
    if isinstance(value, Buffer) and value.scope == "var":
        return Load(value, ())
    return value


@expression(ast.Attribute)
def _attribute(m: Machine, node: ast.Attribute) -> Any:
    return attribute(m, node, m.eval(node.value))


@expression(ast.Call)
def _call(m: Machine, node: ast.Call) -> Any:
    return call(m, node)


@expression(ast.Subscript)
def _subscript(m: Machine, node: ast.Subscript) -> Any:
    return subscript(m, node)


@expression(ast.Tuple)
def _tuple(m: Machine, node: ast.Tuple) -> Any:
    return tuple(elements(m, node.elts))


@expression(ast.List)
def _list(m: Machine, node: ast.List) -> Any:
    return elements(m, node.elts)


@expression(ast.Set)
def _set(m: Machine, node: ast.Set) -> Any:
    from tl_ascend.frontend.comprehensions import set_of

    return set_of(node, elements(m, node.elts))


def elements(m: Machine, nodes: list[ast.expr]) -> list[Any]:
    """The values of a display or an argument list, with `*x` spread."""
    out: list[Any] = []
    unclear: Unclear | None = None
    for node in nodes:
        if isinstance(node, ast.Starred):
            try:
                out.extend(drained(m, node, m.eval(node.value)))
            except Unclear as error:  # the others are evaluated all the same
                unclear = unclear or error
        else:
            out.append(m.eval(node))
    if unclear is not None:
        raise unclear
    return out


@expression(ast.Dict)
def _dict(m: Machine, node: ast.Dict) -> Any:
    from tl_ascend.frontend.comprehensions import put

    out: dict[Any, Any] = {}
    unclear: Unknown | None = None
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is not None:
            key, value = m.eval(key_node), m.eval(value_node)
            try:
                put(key_node, out, key, value)
            except Unclear as error:  # the others are evaluated all the same
                unclear = unclear or error.unknown
            continue
        value = m.eval(value_node)
        if isinstance(value, dict):
            out.update(value)
        elif type(value) in NATIVE:
            kind = type(value).__name__
            raise python_error(value_node, TypeError(f"{kind!r} object is not a mapping"))
        else:
            more = first_unknown(value) or Unknown("** of an unknown value", span_of(node))
            unclear = unclear or more
    return unclear or out


@expression(ast.Slice)
def _slice(m: Machine, node: ast.Slice) -> Any:
    part = [None if p is None else m.eval(p) for p in (node.lower, node.upper, node.step)]
    return slice(*part)


@expression(ast.JoinedStr)
def _joined(m: Machine, node: ast.JoinedStr) -> Any:
    parts: list[str] = []
    values = [m.eval(item) for item in node.values]
    for value in values:
        if isinstance(value, Unknown):
            return value
        parts.append(value if isinstance(value, str) else str(value))
    return "".join(parts)


@expression(ast.FormattedValue)
def _formatted(m: Machine, node: ast.FormattedValue) -> Any:
    value = m.eval(node.value)
    if isinstance(value, Unknown):
        return value
    if not small(value):
        return Unknown("a value too large to be shown", span_of(node))
    if isinstance(value, DTypeRef):
        value = value.shown
    spec = m.eval(node.format_spec) if node.format_spec is not None else ""
    if isinstance(spec, Unknown):
        return spec
    if first_unknown(value) is not None:
        return first_unknown(value)
    if not plain(value):
        return describe(value)
    check_format(spec)
    convert: Callable[[Any], str] | None = _CONVERSIONS.get(node.conversion)  # !a !r !s
    return attempted(
        node, lambda: format(value if convert is None else convert(value), spec), value
    )


_CONVERSIONS: dict[int, Callable[[Any], str]] = {97: ascii, 114: repr, 115: str}
_BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.MatMult: "@",
}
_COMPARE = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def operator_of(op: ast.operator) -> str:
    """The operator as it is written: `+`."""
    return _BINARY[type(op)]


@expression(ast.BinOp)
def _binop(m: Machine, node: ast.BinOp) -> Any:
    # A chain a + b + c + ... nests to the left; walk it without recursion.
    chain: list[ast.BinOp] = [node]
    while isinstance(chain[-1].left, ast.BinOp):
        chain.append(chain[-1].left)
        m.tick()
    value = m.eval(chain[-1].left)
    for item in reversed(chain):
        value = binary(m, item, operator_of(item.op), value, m.eval(item.right))
    return value


def binary(m: Machine, node: ast.AST, op: str, a: Any, b: Any) -> Any:
    """`a op b` on any two values."""
    keeps = op in ("+", "*") and not isinstance(a, Unknown) and not isinstance(b, Unknown)
    unknown = None if keeps and _may_hold(a, b) else first_unknown(a, b)
    if unknown is not None:
        return unknown
    a, b = as_scalar(a), as_scalar(b)
    if op == "//" and is_floor(a, b):
        m.note_floor(node, a, b)
    try:
        if is_scalar(a) and is_scalar(b):
            return _bounded(m, node, fold.binary(op, a, b))
        return _python_binary(m, node, op, a, b)
    except ZeroDivisionError as error:
        text = f"division by zero: `{op}` with a divisor of 0"
        raise python_error(node, error, text if "division" in str(error) else "") from None
    except TooLong:
        raise
    except (OverflowError, MemoryError) as error:
        return Unknown(str(error), span_of(node))
    except (TypeError, ValueError, KeyError) as error:
        if all(type(v) in NATIVE for v in (a, b)) and certain((a, b)):
            raise python_error(node, error) from None
        return Unknown(f"operands of `{op}` are not evaluated", span_of(node))


def _may_hold(a: Any, b: Any) -> bool:
    """Sequences may hold unknown values and still be put together, if their lengths are known."""
    sides = [v for v in (a, b) if isinstance(v, (list, tuple))]
    return bool(sides) and not any(map(is_many, sides))


def _python_binary(m: Machine, node: ast.AST, op: str, a: Any, b: Any) -> Any:
    size = len(a) if hasattr(a, "__len__") else len(b) if hasattr(b, "__len__") else 0
    times = a if isinstance(a, int) else b if isinstance(b, int) else 1
    if op == "*" and size * max(times, 0) > MAX_SEQUENCE:
        raise TooLong(f"a sequence of {size * times:,} elements is not evaluated")
    if hasattr(b, "__len__") and size + len(b) > MAX_TEXT:
        raise TooLong("a sequence grew too long to be evaluated")
    if op == "%" and isinstance(a, str) and plain(b):
        check_format(a, stars=True)
        return a % b
    if type(a) in _OPERANDS and type(b) in _OPERANDS:
        if op not in fold.PYTHON:
            kinds = f"{type(a).__name__!r} and {type(b).__name__!r}"
            raise TypeError(f"unsupported operand type(s) for {op}: {kinds}")
        return fold.PYTHON[op](a, b)
    special = m.program.binary_models.get(type(a)) or m.program.binary_models.get(type(b))
    if special is not None:
        return special(m, node, op, a, b)
    raise TypeError


_OPERANDS = NATIVE | {DTypeRef, TorchDType}


def _bounded(m: Machine, node: ast.AST, value: Any) -> Any:
    if isinstance(value, Expr) and value.depth > MAX_DEPTH:
        return m.too_deep(node)
    return value


def is_scalar(value: Any) -> bool:
    """True for numbers and symbolic expressions."""
    return isinstance(value, (int, float, Expr)) and not isinstance(value, DTypeRef)


def as_scalar(value: Any) -> Any:
    """An element (`buf[i, j]`, all indices plain) read as a value."""
    if isinstance(value, Region) and value.form == "start":
        if len(value.starts) == value.buffer.rank:
            return Load(value.buffer, value.starts)
    return variable(value)


_UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}


@expression(ast.UnaryOp)
def _unary(m: Machine, node: ast.UnaryOp) -> Any:
    value = as_scalar(m.eval(node.operand))
    if isinstance(value, Unknown):
        return value
    if isinstance(node.op, ast.Not):
        if isinstance(value, Expr):
            return fold.logic("not", (value,))
        truth = truth_of(value)
        return truth if isinstance(truth, Unknown) else not truth
    if isinstance(value, Expr):
        if isinstance(node.op, ast.USub):
            return _bounded(m, node, negative(value))
        return value if isinstance(node.op, ast.UAdd) else fold.binary("^", value, -1)
    try:
        return _UNARY[type(node.op)](value)
    except TypeError as error:
        if type(value) in NATIVE:
            raise python_error(node, error) from None
        return Unknown("the operand is not evaluated", span_of(node))


def truth_of(value: Any) -> bool | Expr | Unknown:
    """The truth of a value: known, symbolic, or unknown."""
    value = as_scalar(value)
    if isinstance(value, (Unknown, Expr)):
        return value
    if is_many(value):
        return Unknown("whether this is empty is not known")
    if type(value) in NATIVE or isinstance(value, (int, float, str, list, tuple, dict, Instance)):
        return bool(value)
    if isinstance(value, (Function, Buffer, Region, Stream, EnumMember, BaseException)):
        return True
    if isinstance(value, (BoundMethod, ClassValue, type)):
        return True
    if isinstance(value, Builtin) and value.known:
        return True
    return Unknown("the truth of this value is not evaluated")


@expression(ast.BoolOp)
def _boolop(m: Machine, node: ast.BoolOp) -> Any:
    stop = isinstance(node.op, ast.Or)
    rest: list[Any] = []
    last: Any = not stop
    for item in node.values:
        last = m.perhaps(item) if first_unknown(rest) else m.eval(item)
        truth = truth_of(last)
        if isinstance(truth, Unknown):
            rest.append(truth)
        elif isinstance(truth, Expr):
            rest.append(truth)
        elif truth == stop:
            return last if not rest else stop if all(isinstance(r, Expr) for r in rest) else rest[0]
    unknown = first_unknown(rest)
    if unknown is not None or not rest:
        return unknown or last
    return fold.logic("or" if stop else "and", tuple(rest))


@expression(ast.Compare)
def _compare(m: Machine, node: ast.Compare) -> Any:
    left = as_scalar(m.eval(node.left))
    results: list[Any] = []
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = as_scalar(m.perhaps(right_node) if first_unknown(results) else m.eval(right_node))
        if first_unknown(results) is None:
            result = compare(m, node, op, left, right)
            if result is False:
                return False
            results.append(result)
        left = right
    return first_unknown(results) or fold.logic("and", tuple(results))


def compare(m: Machine, node: ast.AST, op: ast.cmpop, a: Any, b: Any) -> Any:
    """`a op b` on any two values."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        return _identity(op, a, b)
    unknown = first_unknown(a, b)
    if unknown is not None:
        return unknown
    try:
        if isinstance(op, (ast.In, ast.NotIn)):
            return _contains(node, a, b) == isinstance(op, ast.In)
        if isinstance(a, Expr) or isinstance(b, Expr):
            if is_scalar(a) and is_scalar(b):
                return fold.compare(_COMPARE[type(op)], a, b)
            return isinstance(op, ast.NotEq)
        return _python_compare(_COMPARE[type(op)], a, b)
    except TypeError as error:
        if small((a, b)) and plain((a, b)) and certain((a, b)):
            raise python_error(node, error) from None
        return Unknown("these values are not compared", span_of(node))


def _identity(op: ast.cmpop, a: Any, b: Any) -> Any:
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return a if isinstance(a, Unknown) else b
    if a is None or b is None or isinstance(a, bool) or isinstance(b, bool):
        same = a is b
    else:
        same = a is b or (type(a) is type(b) and isinstance(a, (int, str, EnumMember)) and a == b)
    return same == isinstance(op, ast.Is)


def _contains(node: ast.AST, a: Any, b: Any) -> bool:
    if isinstance(b, ClassValue) and b.kind == "enum":
        b = [b.attributes[name] for name in b.members]
    if isinstance(b, Stream):
        raise Opaque("a search in an iterator is not evaluated")
    if not plain(a) or not plain(b) or not small((a, b)):
        raise TypeError
    return a in b


def _python_compare(op: str, a: Any, b: Any) -> Any:
    if plain(a) and plain(b) and not (a is b and isinstance(a, Instance)):
        if not small((a, b)):
            raise TypeError  # not worth walking
        return fold.compare(op, a, b)
    if op in ("==", "!=") and (a is b or not isinstance(a, Instance)):
        return (a is b) == (op == "==")
    raise TypeError  # objects of the user may define their own equality


@expression(ast.IfExp)
def _ifexp(m: Machine, node: ast.IfExp) -> Any:
    truth = truth_of(m.eval(node.test))
    if isinstance(truth, bool):
        return m.eval(node.body if truth else node.orelse)
    if isinstance(truth, Unknown):
        return join(m, node, truth, m.perhaps(node.body), m.perhaps(node.orelse))
    a, b = m.eval(node.body), m.eval(node.orelse)
    return join(m, node, truth, a, b)


def join(m: Machine, node: ast.AST, condition: Any, a: Any, b: Any) -> Any:
    """The value of a conditional whose condition is not known now."""
    if isinstance(condition, Expr):
        x, y = as_scalar(a), as_scalar(b)
        if is_scalar(x) and is_scalar(y):
            return fold.select(condition, x, y)
    if a is b or (type(a) is type(b) and isinstance(a, (int, str, float)) and a == b):
        return a
    if type(a) is tuple and type(b) is tuple and plain((a, b), False) and repr(a) == repr(b):
        return a
    return first_unknown(a, b) or Unknown("the branches differ", span_of(node))


@expression(ast.Lambda)
def _lambda(m: Machine, node: ast.Lambda) -> Any:
    from tl_ascend.frontend.decorators import make_function

    return make_function(m, node)


@expression(ast.NamedExpr)
def _named(m: Machine, node: ast.NamedExpr) -> Any:
    value = m.eval(node.value)
    env = m.env
    while env.kind == "comprehension" and env.parent is not None:
        env = env.parent
    (env.owner().redirect.get(node.target.id) or env).names[node.target.id] = value
    return value


@expression(ast.Starred)
def _starred(m: Machine, node: ast.Starred) -> Any:
    return m.eval(node.value)
