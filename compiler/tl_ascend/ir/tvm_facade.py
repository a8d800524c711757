"""The only importer of TVM (D3): proofs, and expressions as TVM has them (`tir.py`: whole kernels).

TVM crashes the process on malformed or very deep input, so every expression is checked for depth
and kind here before TVM sees it. TVM's import has side effects on the process (it replaces
`sys.excepthook`); they are undone.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from tl_ascend.ir.expr import (
    MAX_DEPTH,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Load,
    Logic,
    Scalar,
    Select,
    Var,
)
from tl_ascend.ir.nodes import Buffer
from tl_ascend.target.dtypes import BOOL, DType
from tl_ascend.target.hardware import Memory

Z3_TIMEOUT_MS = 20
_lock = threading.Lock()


def guarded() -> threading.Lock:
    """One thread at a time: hold this around what calls TVM."""
    return _lock


class TooDeep(ValueError):
    """An expression that TVM must not see."""


@lru_cache(maxsize=1)
def library() -> Any:
    """TVM, imported once, with its side effects on the process undone."""
    hook = sys.excepthook
    os.environ.setdefault("TVM_DEVICE_BACKEND_AUTOLOAD", "0")
    os.environ.setdefault("TVM_FFI_DISABLE_TORCH_C_DLPACK", "1")
    import tvm
    import tvm.sym
    import tvm.tirx

    sys.excepthook = hook
    return tvm


def simplify(value: Scalar) -> str:
    """A value simplified by TVM's analyser, as text. Errors: TooDeep."""
    with _lock:
        names: dict[int, Any] = {}
        return str(_analyzer(names, value).simplify(expression(value, names)))


def bounds(value: Scalar) -> tuple[int, int] | None:
    """Inclusive bounds that TVM proves for an integer value, None where unbounded.

    Errors: TooDeep.
    """
    if not isinstance(value, Expr):
        return int(value), int(value)
    with _lock:
        names: dict[int, Any] = {}
        found = _analyzer(names, value).const_int_bound(expression(value, names))
    low, high = int(found.min_value), int(found.max_value)
    limit = 2**62
    return (low, high) if low > -limit and high < limit else None


def prove(condition: Scalar) -> bool:
    """True where TVM proves the condition for every value of its variables. Errors: TooDeep."""
    if not isinstance(condition, Expr):
        return bool(condition)
    with _lock:
        names: dict[int, Any] = {}
        return bool(_analyzer(names, condition).can_prove(expression(condition, names)))


def _analyzer(names: dict[int, Any], value: Scalar) -> Any:
    from tl_ascend.ir.expr import free_vars

    tvm = library()
    analyzer = tvm.sym.Analyzer()
    if hasattr(analyzer, "set_z3_timeout_ms"):
        analyzer.set_z3_timeout_ms(Z3_TIMEOUT_MS)
    for var in free_vars(value):
        node = variable(var, names)
        if var.low is not None and var.high is not None:
            extent = var.high - var.low + 1
            analyzer.bind(node, tvm.ir.Range.from_min_extent(integer(var.low), integer(extent)))
        elif var.low is not None:
            analyzer.update(node, tvm.sym.ConstIntBound(var.low, 2**31 - 1), True)
    return analyzer


# --- expressions -----------------------------------------------------------------------------

_BINARY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "+": lambda tvm, a, b: a + b,
    "-": lambda tvm, a, b: a - b,
    "*": lambda tvm, a, b: a * b,
    "//": lambda tvm, a, b: a // b,
    "%": lambda tvm, a, b: a % b,
    "/": lambda tvm, a, b: a / b,
    "min": lambda tvm, a, b: tvm.tirx.min(a, b),
    "max": lambda tvm, a, b: tvm.tirx.max(a, b),
}
_COMPARE = {"==": "EQ", "!=": "NE", "<": "LT", "<=": "LE", ">": "GT", ">=": "GE"}
_BITWISE = {
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "<<": "shift_left",
    ">>": "shift_right",
}


def integer(value: int, kind: str = "int32") -> Any:
    return library().ir.prim.IntImm(kind, value)


def type_name(kind: DType) -> str:
    names = {"float8_e4m3": "float8_e4m3fn"}
    return names.get(kind.name, kind.name)


def variable(var: Var, names: dict[int, Any]) -> Any:
    if var.uid not in names:
        names[var.uid] = library().ir.Var(var.name, library().ir.PrimType(type_name(var.type)))
    return names[var.uid]


def expression(value: Any, names: dict[int, Any], kind: DType | None = None) -> Any:
    """One of our expressions as TVM's. Mixed types are cast to the common one, as TVM demands."""
    if not isinstance(value, Expr):
        return _number(value, kind)
    if value.depth > MAX_DEPTH:
        raise TooDeep(f"an expression of depth {value.depth}")
    node = _node(value, names)
    return node if kind is None or kind == value.dtype else _cast(node, kind)


def _cast(node: Any, kind: DType) -> Any:
    prim = library().ir.prim
    return prim.Cast(type_name(kind), node)


def _number(value: Any, kind: DType | None) -> Any:
    tvm = library()
    if kind is not None and kind.kind == "float":
        return tvm.ir.prim.FloatImm(type_name(kind), float(value))
    if isinstance(value, bool) and (kind is None or kind == BOOL):
        return tvm.ir.prim.IntImm("bool", int(value))
    if isinstance(value, float):
        return tvm.ir.prim.FloatImm("float32", value)
    if kind is None and not -(2**31) <= value < 2**31:
        return tvm.ir.prim.IntImm("int64", _fits(value))
    return tvm.ir.prim.IntImm(type_name(kind) if kind is not None else "int32", _fits(int(value)))


def _fits(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise TooDeep("a number beyond 64 bits")
    return value


def _node(value: Expr, names: dict[int, Any]) -> Any:
    tvm = library()
    prim = tvm.ir.prim
    if isinstance(value, Var):
        return variable(value, names)
    if isinstance(value, Const):
        return _number(value.value, value.type)
    if isinstance(value, Binary):
        return _binary(value, names)
    if isinstance(value, Compare):
        kind = Binary("+", value.a, value.b).dtype
        make = getattr(prim, _COMPARE[value.op])
        return make(expression(value.a, names, kind), expression(value.b, names, kind))
    if isinstance(value, Logic):
        return _logic(value, names)
    if isinstance(value, Select):
        parts = [expression(value.condition, names, BOOL)]
        parts += [expression(v, names, value.dtype) for v in (value.then, value.other)]
        return prim.Select(*parts)
    if isinstance(value, Cast):
        return _cast(expression(value.value, names), value.type)
    if isinstance(value, Load):
        return _load(value, names)
    assert isinstance(value, Call)
    return _call(value, names)


def _binary(value: Binary, names: dict[int, Any]) -> Any:
    """By the operators that TVM's parser uses, so that both fold alike."""
    kind = value.dtype
    a, b = expression(value.a, names, kind), expression(value.b, names, kind)
    by_zero = value.op in ("//", "%", "/") and value.b == 0
    if value.op in _BINARY and not by_zero and (value.op != "/" or kind.kind == "float"):
        return _BINARY[value.op](library(), a, b)
    names_of = {"**": "pow", "//": "floordiv", "%": "floormod", "/": "div"}
    name = names_of.get(value.op) or _BITWISE[value.op]
    return call_value(name, [a, b], kind)


def _logic(value: Logic, names: dict[int, Any]) -> Any:
    prim = library().ir.prim
    parts = [expression(v, names, BOOL) for v in value.operands]
    if value.op == "not":
        return prim.Not(parts[0])
    make = prim.And if value.op == "and" else prim.Or
    out = parts[0]
    for part in parts[1:]:
        out = make(out, part)
    return out


def _load(value: Load, names: dict[int, Any]) -> Any:
    buffer = declared(value.buffer, names)
    indices = [expression(i, names) for i in value.indices] or [integer(0)]
    return library().tirx.BufferLoad(buffer, indices)


def _call(value: Call, names: dict[int, Any]) -> Any:
    args = [string(a) if isinstance(a, str) else expression(a, names) for a in value.args]
    return call_value(value.name, args, value.type)


def string(text: str) -> Any:
    """A text as an argument of a call; escaped, since TVM prints no text with line ends."""
    return library().ir.StringImm(text.encode("unicode_escape").decode("ascii"))


OPERATION, VALUE = "tl.ascend_", "tl.ascend_value_"
_OPAQUE = 3  # it reads and writes memory
_TYPE_FIRST = 1  # the printer puts the type of the value before the arguments


@lru_cache(maxsize=1024)
def _op(name: str) -> Any:
    """A registered intrinsic; the printer's name keeps TVM from warning at every call."""
    tvm = library()
    try:
        return tvm.ir.Op.get(name)
    except Exception:  # TVM raises its own class for an unknown name
        tvm.ir._ffi_api.RegisterOp(name, "an operation of an Ascend core")
        tvm.ir.register_op_attr(name, "TCallEffectKind", _OPAQUE)
        tvm.ir.register_op_attr(name, "TScriptPrinterName", name)
        if name.startswith(VALUE):
            tvm.ir.register_op_attr(name, "TScriptDtypePrintLocation", _TYPE_FIRST)
        return tvm.ir.Op.get(name)


def call_operation(name: str, args: list[Any]) -> Any:
    """A call that is a statement."""
    return _named(OPERATION + name, args, "void")


def call_value(name: str, args: list[Any], kind: DType) -> Any:
    """A call that has a value."""
    return _named(VALUE + name, args, type_name(kind))


def _named(name: str, args: list[Any], kind: str) -> Any:
    return library().ir.Call(_op(name), args, ret_ty=library().ir.PrimType(kind))


# Scope names that TVM's own passes accept; users see the Ascend names.
_SCOPES = {
    Memory.GM: "global",
    Memory.L1: "shared.l1",
    Memory.UB: "shared.ub",
    Memory.L0A: "local.l0a",
    Memory.L0B: "local.l0b",
    Memory.L0C: "local.l0c",
    Memory.REGISTER: "local",
}


def declared(
    buffer: Buffer,
    names: dict[int, Any],
    memory: Memory | None = None,
    shape: Sequence[Scalar] | None = None,
) -> Any:
    """A buffer, declared once for all of its uses. `shape`: where it is not the author's."""
    key = -buffer.uid
    if key not in names:
        scope = _SCOPES[memory] if memory is not None else "global"
        sizes = [expression(s, names) for s in (buffer.shape if shape is None else shape)]
        names[key] = library().tirx.decl_buffer(
            sizes or [integer(1)],
            type_name(buffer.dtype),
            name=buffer.name,
            scope=scope,
            layout=None,
        )
    return names[key]


def parse_script(script: str) -> Any:
    """What a script with our operations defines. Errors: ValueError with TVM's text."""
    hook = sys.excepthook
    from tvm.script import from_source
    from tvm.script.parser import tirx as dialect
    from tvm.tirx.layout import Axis

    sys.excepthook = hook
    ours = SimpleNamespace(**{n: getattr(dialect, n) for n in dir(dialect)}, tl=_Operations())
    try:
        return from_source(script, extra_vars={"T": ours, "Axis": Axis})
    except Exception as error:  # TVM's own class
        raise ValueError(str(error)) from None


class _Operations:
    """`T.tl` of a script: every registered operation, by name."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        full = f"tl.{name}"

        def call(*args: Any) -> Any:
            kind = str(args[0]) if full.startswith(VALUE) else "void"
            rest = args[1:] if full.startswith(VALUE) else args
            return _named(full, [_operand(a) for a in rest], kind)

        return call


def _operand(value: Any) -> Any:
    if isinstance(value, str):
        return library().ir.StringImm(value)
    return _number(value, None) if isinstance(value, (bool, int, float)) else value


def versions() -> Mapping[str, str]:
    """The versions of TVM in use, for bug reports."""
    return {"apache-tvm": str(library().__version__)}
