"""Names of `T` that yield scalars, and element types. They come from TVM's script, whose functions
take their arguments by position; the names of parameters are those of its documentation."""

from __future__ import annotations

from tl_ascend.ops.row import Op, Param

_SOURCE = "Apache TVM, script of tensor functions"
_CUSTOM = "tile-ai/tilelang-ascend 95acbd7f, tilelang/language/customize.py"


def _row(name: str, doc: str, *params: str, source: str = _SOURCE, unwritten: str = "") -> Op:
    kinds = {"dtype": "text"}
    listed = tuple(Param(part, kinds.get(part, "scalar")) for part in params)
    return Op(name, "value", listed, doc, source, "values", unwritten=unwritten)


def _type(name: str) -> Op:
    value = Param("expr", "scalar", default=None)
    return Op(
        name, "value", (value,), f"A scalar of type {name}, or the type itself.", _SOURCE, "values"
    )


DTYPES = (
    "float16 float32 float64 bfloat16 bool int8 int16 int32 int64 uint8 uint16 uint32 uint64"
).split()
# Functions of the vector unit: what CANN has for scalars counts bits and converts.
_VECTOR = (
    "exp exp2 exp10 log log2 log10 log1p sqrt rsqrt sin cos tan sinh cosh tanh asin acos atan erf "
    "sigmoid"
).split()
_OF_TWO = "atan2 copysign fmod hypot ldexp nextafter".split()
_UNWRITTEN = "neither the scalar unit nor CANN's interface to it has this function"
# Written in the program, of comparisons, conversions and operations on bits.
_WRITTEN = {
    "abs": "abs of a scalar.",
    "floor": "The greatest whole number that is not above x.",
    "ceil": "The least whole number that is not below x.",
    "round": "The nearest whole number, halves away from zero.",
    "trunc": "The whole part, towards zero.",
    "nearbyint": "The nearest whole number, halves to even.",
    "isnan": "True where x is not a number.",
    "isinf": "True where x is infinite.",
    "isfinite": "True where x is neither infinite nor NaN.",
    "popcount": "How many bits of an integer are set.",
    "clz": "How many zeros stand before the first bit of an integer that is set; its width for 0.",
}

BIT_OPERATORS = {
    "shift_left": "<<",
    "shift_right": ">>",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
}

ROWS = (
    _row("ceildiv", "The least number of tiles of size rhs that cover lhs.", "lhs", "rhs"),
    _row("floordiv", "a // b.", "a", "b"),
    _row("floormod", "a % b.", "a", "b"),
    _row("truncdiv", "a / b, towards zero.", "a", "b"),
    _row("truncmod", "a - b * truncdiv(a, b).", "a", "b"),
    _row("if_then_else", "t where the condition holds, else f.", "cond", "t", "f"),
    _row(
        "Select",
        "true_value where the condition holds, else false_value; both are computed.",
        "condition",
        "true_value",
        "false_value",
    ),
    _row("min", "The smaller of two values.", "a", "b"),
    _row("max", "The larger of two values.", "a", "b"),
    _row("pow", "x ** y of scalars; programs need a whole number y from 1 to 4.", "x", "y"),
    _row("And", "Both conditions.", "a", "b"),
    _row("Or", "Either condition.", "a", "b"),
    _row("Not", "Not the condition.", "a"),
    *(_row(name, f"x {op} y of whole numbers.", "x", "y") for name, op in BIT_OPERATORS.items()),
    _row("bitwise_not", "~x of a whole number.", "x"),
    _row("likely", "The condition, which compilers may take for likely.", "cond"),
    _row("infinity", "Positive infinity.", "dtype"),
    _row("min_value", "The smallest finite value of a type.", "dtype"),
    _row("max_value", "The largest finite value of a type.", "dtype"),
    _row("cast", "A scalar converted to a type.", "src", "dtype"),
    _row("Cast", "A scalar converted to a type.", "dtype", "value"),
    _row("reinterpret", "The bits of a scalar read as another type.", "dtype", "value"),
    _row(
        "clamp",
        "A scalar, not below min_val and not above max_val; T.tile.clamp is for tiles.",
        "dst",
        "min_val",
        "max_val",
        source=_CUSTOM,
    ),
    *(_row(name, f"{name} of two scalars.", "x1", "x2", unwritten=_UNWRITTEN) for name in _OF_TWO),
    *(_row(name, f"{name} of a scalar.", "x", unwritten=_UNWRITTEN) for name in _VECTOR),
    *(_row(name, doc, "x") for name, doc in _WRITTEN.items()),
    *map(_type, DTYPES),
)
