"""Scalar expressions as C++.

Python's meaning is kept: `//` and `%` round towards minus infinity, which `/` and `%` of C++ do
only where nothing is negative. Products that may leave 32 bits are computed in 64, what has unsigned
operands only in their type, modulo 2**bits. The scalar unit
has no arithmetic on 16-bit floats (CANN, scalar types of the AI core): it is done in float.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tl_ascend.backends.common.constants import literal
from tl_ascend.backends.common.functions import Unwritten, on_host, written
from tl_ascend.backends.common.helpers import CONVERSIONS, leaves_open, saturated
from tl_ascend.backends.common.names import Names
from tl_ascend.backends.common.rules import Refusal
from tl_ascend.ir.affine import interval
from tl_ascend.ir.constants import number_of
from tl_ascend.ir.expr import (
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Load,
    Logic,
    Select,
    Var,
    dtype_of,
    unsigned,
)
from tl_ascend.source.span import Span
from tl_ascend.target.dtypes import BOOL, BY_NAME, FLOAT32, INT32, INT64, DType

# How tightly C++ operators bind. All of equal rank associate to the left.
_BINDING = {
    "?:": 1,
    "or": 2,
    "and": 3,
    "|": 4,
    "^": 5,
    "&": 6,
    "==": 7,
    "!=": 7,
    "<": 8,
    "<=": 8,
    ">": 8,
    ">=": 8,
    "<<": 9,
    ">>": 9,
    "+": 10,
    "-": 10,
    "*": 11,
    "/": 11,
    "%": 11,
}
UNARY, TIGHT = 12, 13
_MASKS = frozenset({"<<", ">>", "&", "|", "^"})
# Shared parts are written out each time: a limit keeps a program of reasonable size.
MAX_TEXT = 20_000
_INT32 = (-(2**31), 2**31 - 1)


class Value(NamedTuple):
    """C++ text, how tightly its outermost operator binds, and the type that C++ gives it."""

    text: str
    binding: int
    type: DType


@dataclass
class Expressions:
    """Writes expressions where `names` are visible. `host`: the text stands in a host function,
    which cannot call device functions. `helpers`: collects the device functions that were used.
    `conversions`: what a route calls where the device's compiler has no cast."""

    names: Names
    load: Callable[[Load], str]
    call: Callable[[Call], str | None]
    host: bool = False
    helpers: set[str] = field(default_factory=set)
    at: Span | None = None
    conversions: Mapping[tuple[str, str], str] = field(default_factory=dict)
    _memo: dict[Expr, Value] = field(default_factory=dict)
    _version: int = -1

    def index(self, value: Any) -> str:
        """An integer, to stand alone: in brackets or between commas."""
        return self._integer(self.value(value)).text

    def operand(self, value: Any, op: str) -> str:
        """An integer, to stand on the right of an operator."""
        return self._in(self._integer(self.value(value)), _BINDING[op] + 1)

    def condition(self, value: Any) -> str:
        """A truth value, to stand alone."""
        return self.value(value).text

    def typed(self, value: Any, type: DType) -> str:
        """A value of exactly this C++ type, to stand alone: templates deduce types from it."""
        number = number_of(value)
        if number is not None:
            return literal(number, type).text
        return self._converted(self.value(value), type).text

    def value(self, value: Any) -> Value:
        """Any expression; the same one again is not written anew. Errors: Refusal."""
        if not isinstance(value, Expr):
            return self._written(value)
        if self._version != self.names.version:
            self._version = self.names.version
            self._memo.clear()
        if value not in self._memo:
            self._memo[value] = self._written(value)
        return self._memo[value]

    def _written(self, value: Any) -> Value:
        number = number_of(value)
        if number is not None:
            text = literal(number, dtype_of(value))
            return Value(text.text, UNARY if text.negative else TIGHT, text.type)
        found = self._node(value)
        if len(found.text) > MAX_TEXT:
            raise self._refusal("an expression that takes more than 20000 characters as C++")
        return found

    def _node(self, value: Any) -> Value:
        if isinstance(value, Binary):
            return self._binary(value)
        if isinstance(value, Compare):
            return self._compare(value)
        if isinstance(value, Logic):
            return self._logic(value)
        if isinstance(value, Select):
            return self._select(value)
        if isinstance(value, Cast):
            return self._cast(value)
        if isinstance(value, Load):
            return Value(self.load(value), TIGHT, value.dtype)
        return self._leaf(value)

    def _leaf(self, value: Any) -> Value:
        if isinstance(value, Var):
            named = self.names.of(value)
            if named is None:
                raise self._unbound(value)
            return Value(named.text, TIGHT, named.type)
        if isinstance(value, Call):
            return self._call(value)
        assert not isinstance(value, Const), "constants are literals"
        raise self._refusal(f"a value of kind {type(value).__name__}")

    def _refusal(self, what: str, *notes: str) -> Refusal:
        assert self.at is not None
        return Refusal("not-lowered", self.at, what, *notes)

    def _unbound(self, var: Var) -> Refusal:
        assert self.at is not None
        if var.role == "shape":
            what = f"the size {var.name} is not the whole of any tensor's dimension"
            note = "A launch learns sizes from the shapes of its tensors: one must be just this."
            return Refusal("dynamic-shape", self.at, f"{what}, so the launch cannot know it", note)
        return self._refusal(f"{var.name} has no value here")

    # --- conversions -------------------------------------------------------------------------

    def _converted(self, value: Value, type: DType) -> Value:
        """The value in another type; through float on the way to and from 16-bit floats."""
        if value.type == type:
            return value
        if FLOAT32 not in (type, value.type) and "float" in (type.kind, value.type.kind):
            value = self._converted(value, FLOAT32)
        if type == BOOL:
            return Value(f"{self._in(value, 8)} != 0", _BINDING["!="], BOOL)
        if value.type.kind == "float" and not self.host and leaves_open(type):
            self.helpers.add("tl_saturated")
            return Value(f"{saturated(type)}({value.text})", TIGHT, type)
        spelled = self.conversions.get((value.type.name, type.name), type.c_name)
        if spelled in CONVERSIONS:
            self.helpers |= {spelled, "tl_bits"}
        return Value(f"{spelled}({value.text})", TIGHT, type)

    def _integer(self, value: Value) -> Value:
        """A value that arithmetic treats as a signed integer: unsigned types would wrap."""
        if value.type.kind == "float":
            return self._converted(value, INT32)
        if value.type.kind == "uint" and value.type.bits >= 32:
            return self._converted(value, INT64)
        return value

    def _float(self, value: Any) -> Value:
        number = number_of(value)
        if number is not None:
            text = literal(float(number), FLOAT32)
            return Value(text.text, UNARY if text.negative else TIGHT, FLOAT32)
        found = self.value(value)
        return found if found.type.kind == "int" else self._converted(found, FLOAT32)

    @staticmethod
    def _in(value: Value, outer: int) -> str:
        """The text as an operand of an operator that binds as `outer`."""
        return f"({value.text})" if value.binding < outer else value.text

    # --- operators ---------------------------------------------------------------------------

    def _binary(self, value: Binary) -> Value:
        if value.op == "**":
            return self._power(value)
        if value.op == "*" and number_of(value.b) == -1:
            return self._negative(value)
        kinds = {dtype_of(value.a).kind, dtype_of(value.b).kind}
        if "float" in kinds or value.op == "/":
            return self._float_binary(value)
        if unsigned(value):
            return self._unsigned_binary(value)
        a, b = (self._integer(self.value(x)) for x in (value.a, value.b))
        wide = INT64 if 64 in (a.type.bits, b.type.bits) else INT32
        if value.op in ("min", "max"):
            return self._extremum(value.op, a, b, wide)
        if value.op in ("//", "%"):
            return self._division(value, a, b, wide)
        if wide == INT32 and self._may_overflow(value):
            a, wide = Value(f"(int64_t){self._in(a, UNARY)}", UNARY, INT64), INT64
        return self._infix(value.op, a, b, wide)

    def _unsigned_binary(self, value: Binary) -> Value:
        """Both operands in one type first: C++ would do it, too, but not for all helpers."""
        type = value.dtype
        a, b = (self._converted(self.value(x), type) for x in (value.a, value.b))
        if value.op in ("min", "max"):
            return self._extremum(value.op, a, b, type)
        return self._infix({"//": "/"}.get(value.op, value.op), a, b, type)

    def _negative(self, value: Binary) -> Value:
        inner = self.value(value.a)
        if inner.type.kind == "float":
            inner = self._converted(inner, FLOAT32)
            negative = Value(f"-{self._in(inner, TIGHT)}", UNARY, FLOAT32)
            return self._rounded(negative, value.dtype)
        inner = self._integer(inner)
        return Value(f"-{self._in(inner, TIGHT)}", UNARY, inner.type)

    def _infix(self, op: str, a: Value, b: Value, type: DType) -> Value:
        own = _BINDING[op]
        # Few readers know how shifts and masks bind: their operands get parentheses always.
        left, right = (UNARY, UNARY) if op in _MASKS else (own, own + 1)
        return Value(f"{self._in(a, left)} {op} {self._in(b, right)}", own, type)

    @staticmethod
    def _may_overflow(value: Binary) -> bool:
        """True where 32 bits may not hold the result. Sums of values that fit are trusted to fit
        unless they are known not to: only products and shifts grow quickly."""
        low, high = interval(_product(value))
        known = (low is None or low >= _INT32[0]) and (high is None or high <= _INT32[1])
        return not known or (value.op in ("*", "<<") and None in (low, high))

    def _division(self, value: Binary, a: Value, b: Value, type: DType) -> Value:
        low, (least, _) = interval(value.a)[0], interval(value.b)
        # A divisor of 0 has no meaning in either language.
        positive = least is not None and least >= 0
        if positive and low is not None and low >= 0:
            return self._infix("/" if value.op == "//" else "%", a, b, type)
        if isinstance(value.b, int) and value.b > 0 and value.b & (value.b - 1) == 0:
            # Shifts and masks of two's complement round towards minus infinity.
            if value.op == "//":
                shift = Value(str(value.b.bit_length() - 1), TIGHT, INT32)
                return self._infix(">>", a, shift, type)
            return self._infix("&", a, Value(str(value.b - 1), TIGHT, INT32), type)
        return self._floor(value.op, a, b, type)

    def _floor(self, op: str, a: Value, b: Value, type: DType) -> Value:
        if not self.host:
            return self._helper("tl_floordiv" if op == "//" else "tl_floormod", a, b, type)
        x, y = self._in(a, UNARY), self._in(b, UNARY)
        if op == "//":
            down = f"({x} % {y} != 0 && ({x} < 0) != ({y} < 0))"
            return Value(f"{x} / {y} - {down}", _BINDING["-"], type)
        return Value(f"({x} % {y} + {y}) % {y}", _BINDING["%"], type)

    def _extremum(self, op: str, a: Value, b: Value, type: DType) -> Value:
        if not self.host:
            return self._helper(f"tl_{op}", a, b, type)
        sign = "<" if op == "min" else ">"
        x, y = self._in(a, 9), self._in(b, 9)
        return Value(f"{x} {sign} {y} ? {x} : {y}", _BINDING["?:"], type)

    def _helper(self, name: str, a: Value, b: Value, type: DType) -> Value:
        self.helpers.add(name)
        spelled = "int32_t" if type == INT32 else type.c_name
        return Value(f"{name}<{spelled}>({a.text}, {b.text})", TIGHT, type)

    def _float_binary(self, value: Binary) -> Value:
        if value.op not in ("+", "-", "*", "/", "min", "max"):
            raise self._refusal(
                f"`{value.op}` of floats: the scalar unit has no such operation",
                "Work on tiles with T.tile operations, or convert to an integer first.",
            )
        a, b = self._float(value.a), self._float(value.b)
        if value.op == "/" and a.type.kind == b.type.kind == "int":
            a = self._converted(a, FLOAT32)
        if value.op in ("min", "max"):
            found = self._extremum(value.op, a, b, FLOAT32)
        else:
            found = self._infix(value.op, a, b, FLOAT32)
        return self._rounded(found, value.dtype)

    def _rounded(self, value: Value, type: DType) -> Value:
        """One operation on 16-bit floats rounds once: float is wide enough that computing there
        and rounding gives the same result."""
        small = type.kind == "float" and type.bits == 16
        return self._converted(value, type) if small else value

    def _power(self, value: Binary) -> Value:
        exponent = value.b
        if isinstance(exponent, int) and 1 <= exponent <= 4:
            product: Any = value.a
            for _ in range(exponent - 1):
                product = Binary("*", product, value.a)
            return self.value(product)
        raise self._refusal("`**` of scalars: only whole exponents from 1 to 4 are written")

    def _compare(self, value: Compare) -> Value:
        if "float" in (dtype_of(value.a).kind, dtype_of(value.b).kind):
            a, b = self._float(value.a), self._float(value.b)
        elif unsigned(value):
            a, b = self.value(value.a), self.value(value.b)
        else:
            a, b = (self._integer(self.value(x)) for x in (value.a, value.b))
        own = _BINDING[value.op]
        return Value(f"{self._in(a, own + 1)} {value.op} {self._in(b, own + 1)}", own, BOOL)

    def _logic(self, value: Logic) -> Value:
        if value.op == "not":
            return Value(f"!{self._in(self.value(value.operands[0]), UNARY)}", UNARY, BOOL)
        own = _BINDING[value.op]
        # `and` inside `or` keeps its parentheses, for readers and for compilers that warn.
        outer = _BINDING["and"] + 1
        sign = " && " if value.op == "and" else " || "
        return Value(sign.join(self._in(self.value(v), outer) for v in value.operands), own, BOOL)

    def _select(self, value: Select) -> Value:
        condition = self._in(self.value(value.condition), _BINDING["?:"] + 1)
        type = value.dtype
        if type.kind == "float":
            then, other = (self.typed(x, type) for x in (value.then, value.other))
            return Value(f"{condition} ? {then} : {other}", _BINDING["?:"], type)
        a, b = (self._integer(self.value(x)) for x in (value.then, value.other))
        wide = INT64 if 64 in (a.type.bits, b.type.bits) else INT32
        # The middle operand stands between `?` and `:` as between parentheses.
        return Value(f"{condition} ? {a.text} : {self._in(b, 1)}", _BINDING["?:"], wide)

    def _cast(self, value: Cast) -> Value:
        return self._converted(self.value(value.value), value.type)

    def _call(self, value: Call) -> Value:
        if value.name == "abs":
            inner = self.value(value.args[0])
            if inner.type.kind == "float":
                inner = self._converted(inner, FLOAT32)
            x = self._in(inner, TIGHT)
            text = f"{x} < 0 ? -{x} : {x}"
            return self._rounded(Value(text, _BINDING["?:"], inner.type), value.dtype)
        if value.name == "reinterpret":
            return self._reinterpreted(value)
        text_of_rule = self.call(value)
        if text_of_rule is not None:
            return Value(text_of_rule, TIGHT, INT64)
        if value.name == "pow":
            return self._power(Binary("**", *value.args))
        return self._function(value)

    def _function(self, value: Call) -> Value:
        try:
            text, less, type, helpers = (on_host if self.host else written)(value, self.typed)
        except Unwritten as why:
            raise self._refusal(*why.args) from None
        self.helpers.update(helpers)
        if less:
            return Value(f"{text} - {less}", _BINDING["-"], type)
        return self._rounded(Value(text, TIGHT, type), value.dtype)

    def _reinterpreted(self, value: Call) -> Value:
        """The same bits; a number without a type is as wide as the result."""
        inner, type = value.args[-1], value.dtype
        source = dtype_of(inner)
        if not isinstance(inner, Expr):
            source = BY_NAME[f"{source.kind}{type.bits}"]
        if source.bits != type.bits or "bool" in (source.kind, type.kind) or type.bits < 8:
            raise self._refusal(f"T.reinterpret of {source} as {type}: both must be as wide")
        self.helpers.add("tl_bits")
        return Value(f"tl_bits<{type.c_name}>({self.typed(inner, source)})", TIGHT, type)


def _product(value: Binary) -> Any:
    """A shift by a known number as the product that it is: bounds are known of those."""
    if value.op == "<<" and isinstance(value.b, int) and 0 <= value.b < 64:
        return Binary("*", value.a, 1 << value.b)
    return value
