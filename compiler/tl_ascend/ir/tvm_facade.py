"""The only importer of TVM (D3): proofs, and the whole kernel as a TVM PrimFunc.

TVM crashes the process on malformed or very deep input, so every expression is checked for depth
and kind here before TVM sees it. TVM's import has side effects on the process (it replaces
`sys.excepthook`); they are undone.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from functools import lru_cache
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
from tl_ascend.ir.nodes import (
    Alloc,
    Block,
    Break,
    Buffer,
    CoreScope,
    For,
    If,
    Kernel,
    Let,
    Region,
    Stmt,
    Store,
    TileOp,
    While,
)
from tl_ascend.target.dtypes import BOOL, DType
from tl_ascend.target.hardware import Core, Memory

Z3_TIMEOUT_MS = 20
_lock = threading.Lock()


class TooDeep(ValueError):
    """An expression that TVM must not see."""


@lru_cache(maxsize=1)
def _tvm() -> Any:
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
        return str(_analyzer(names, value).simplify(_expr(value, names)))


def bounds(value: Scalar) -> tuple[int, int] | None:
    """Inclusive bounds that TVM proves for an integer value, None where unbounded.

    Errors: TooDeep.
    """
    if not isinstance(value, Expr):
        return int(value), int(value)
    with _lock:
        names: dict[int, Any] = {}
        found = _analyzer(names, value).const_int_bound(_expr(value, names))
    low, high = int(found.min_value), int(found.max_value)
    limit = 2**62
    return (low, high) if low > -limit and high < limit else None


def prove(condition: Scalar) -> bool:
    """True where TVM proves the condition for every value of its variables. Errors: TooDeep."""
    if not isinstance(condition, Expr):
        return bool(condition)
    with _lock:
        names: dict[int, Any] = {}
        return bool(_analyzer(names, condition).can_prove(_expr(condition, names)))


def _analyzer(names: dict[int, Any], value: Scalar) -> Any:
    from tl_ascend.ir.expr import free_vars

    tvm = _tvm()
    analyzer = tvm.sym.Analyzer()
    if hasattr(analyzer, "set_z3_timeout_ms"):
        analyzer.set_z3_timeout_ms(Z3_TIMEOUT_MS)
    for var in free_vars(value):
        node = _var(var, names)
        if var.low is not None and var.high is not None:
            extent = var.high - var.low + 1
            analyzer.bind(node, tvm.ir.Range.from_min_extent(_int(var.low), _int(extent)))
        elif var.low is not None:
            analyzer.update(node, tvm.sym.ConstIntBound(var.low, 2**31 - 1), True)
    return analyzer


# --- expressions -----------------------------------------------------------------------------

_BINARY = {
    "+": "Add",
    "-": "Sub",
    "*": "Mul",
    "//": "FloorDiv",
    "%": "FloorMod",
    "/": "Div",
    "min": "Min",
    "max": "Max",
}
_COMPARE = {"==": "EQ", "!=": "NE", "<": "LT", "<=": "LE", ">": "GT", ">=": "GE"}
_BITWISE = {
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "<<": "shift_left",
    ">>": "shift_right",
}


def _int(value: int, kind: str = "int32") -> Any:
    return _tvm().ir.prim.IntImm(kind, value)


def _dtype(kind: DType) -> str:
    names = {"float8_e4m3": "float8_e4m3fn"}
    return names.get(kind.name, kind.name)


def _var(var: Var, names: dict[int, Any]) -> Any:
    if var.uid not in names:
        names[var.uid] = _tvm().ir.Var(var.name, _tvm().ir.PrimType(_dtype(var.type)))
    return names[var.uid]


def _expr(value: Any, names: dict[int, Any], kind: DType | None = None) -> Any:
    """One of our expressions as TVM's. Mixed types are cast to the common one, as TVM demands."""
    if not isinstance(value, Expr):
        return _number(value, kind)
    if value.depth > MAX_DEPTH:
        raise TooDeep(f"an expression of depth {value.depth}")
    node = _node(value, names)
    return node if kind is None or kind == value.dtype else _cast(node, kind)


def _cast(node: Any, kind: DType) -> Any:
    prim = _tvm().ir.prim
    return prim.Cast(_dtype(kind), node)


def _number(value: Any, kind: DType | None) -> Any:
    tvm = _tvm()
    if kind is not None and kind.kind == "float":
        return tvm.ir.prim.FloatImm(_dtype(kind), float(value))
    if isinstance(value, bool) and (kind is None or kind == BOOL):
        return tvm.ir.prim.IntImm("bool", int(value))
    if isinstance(value, float):
        return tvm.ir.prim.FloatImm("float32", value)
    if kind is None and not -(2**31) <= value < 2**31:
        return tvm.ir.prim.IntImm("int64", _fits(value))
    return tvm.ir.prim.IntImm(_dtype(kind) if kind is not None else "int32", _fits(int(value)))


def _fits(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise TooDeep("a number beyond 64 bits")
    return value


def _node(value: Expr, names: dict[int, Any]) -> Any:
    tvm = _tvm()
    prim = tvm.ir.prim
    if isinstance(value, Var):
        return _var(value, names)
    if isinstance(value, Const):
        return _number(value.value, value.type)
    if isinstance(value, Binary):
        return _binary(value, names)
    if isinstance(value, Compare):
        kind = Binary("+", value.a, value.b).dtype
        make = getattr(prim, _COMPARE[value.op])
        return make(_expr(value.a, names, kind), _expr(value.b, names, kind))
    if isinstance(value, Logic):
        return _logic(value, names)
    if isinstance(value, Select):
        parts = [_expr(value.condition, names, BOOL)]
        parts += [_expr(v, names, value.dtype) for v in (value.then, value.other)]
        return prim.Select(*parts)
    if isinstance(value, Cast):
        return _cast(_expr(value.value, names), value.type)
    if isinstance(value, Load):
        return _load(value, names)
    assert isinstance(value, Call)
    return _call(value, names)


def _binary(value: Binary, names: dict[int, Any]) -> Any:
    kind = value.dtype
    a, b = _expr(value.a, names, kind), _expr(value.b, names, kind)
    if value.op in _BINARY:
        if value.op == "/" and kind.kind != "float":
            return _call_named("tl.ascend_div", [a, b], kind)
        return getattr(_tvm().ir.prim, _BINARY[value.op])(a, b)
    name = "pow" if value.op == "**" else _BITWISE[value.op]
    return _call_named(f"tl.ascend_{name}", [a, b], kind)


def _logic(value: Logic, names: dict[int, Any]) -> Any:
    prim = _tvm().ir.prim
    parts = [_expr(v, names, BOOL) for v in value.operands]
    if value.op == "not":
        return prim.Not(parts[0])
    make = prim.And if value.op == "and" else prim.Or
    out = parts[0]
    for part in parts[1:]:
        out = make(out, part)
    return out


def _load(value: Load, names: dict[int, Any]) -> Any:
    buffer = _buffer(value.buffer, names)
    indices = [_expr(i, names) for i in value.indices] or [_int(0)]
    return _tvm().tirx.BufferLoad(buffer, indices)


def _call(value: Call, names: dict[int, Any]) -> Any:
    args = [_string(a) if isinstance(a, str) else _expr(a, names) for a in value.args]
    return _call_named(f"tl.ascend_{value.name}", args, value.type)


def _string(text: str) -> Any:
    return _tvm().ir.StringImm(text)


@lru_cache(maxsize=1024)
def _op(name: str) -> Any:
    """A registered intrinsic; the printer's name keeps TVM from warning at every call."""
    tvm = _tvm()
    try:
        return tvm.ir.Op.get(name)
    except Exception:  # TVM raises its own class for an unknown name
        tvm.ir._ffi_api.RegisterOp(name, "an operation of an Ascend core")
        tvm.ir.register_op_attr(name, "TCallEffectKind", 3)  # opaque: it reads and writes memory
        tvm.ir.register_op_attr(name, "TScriptPrinterName", name)
        return tvm.ir.Op.get(name)


def _call_named(name: str, args: list[Any], kind: DType | None) -> Any:
    ret = _dtype(kind) if kind is not None else "void"
    return _tvm().ir.Call(_op(name), args, ret_ty=_tvm().ir.PrimType(ret))


# --- kernels ---------------------------------------------------------------------------------

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


def to_tir(kernel: Kernel) -> Any:
    """The kernel as a TVM `PrimFunc` with `tl.ascend_*` intrinsics. Errors: TooDeep."""
    with _lock:
        return _Lowering(kernel).function()


def tir_text(kernel: Kernel) -> str:
    """The PrimFunc as TVMScript."""
    return str(to_tir(kernel).script())


def _buffer(buffer: Buffer, names: dict[int, Any], memory: Memory | None = None) -> Any:
    key = -buffer.uid
    if key not in names:
        scope = _SCOPES[memory] if memory is not None else "global"
        shape = [_expr(s, names) for s in buffer.shape] or [_int(1)]
        names[key] = _tvm().tirx.decl_buffer(
            shape, _dtype(buffer.dtype), name=buffer.name, scope=scope, layout=None
        )
    return names[key]


class _Lowering:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.names: dict[int, Any] = {}

    def function(self) -> Any:
        tvm = _tvm()
        params = []
        for param in self.kernel.params:
            value = param.value
            params.append(
                _buffer(value, self.names, Memory.GM)
                if isinstance(value, Buffer)
                else _var(value, self.names)
            )
        body = self._launch(self.block(self.kernel.body))
        function = tvm.tirx.PrimFunc(params, body)
        return function.with_attr("global_symbol", self.kernel.name)

    def _launch(self, body: Any) -> Any:
        launch = self.kernel.launch
        if launch is None:
            return body
        for var, extent in ((launch.subblock, 2), (launch.block, launch.blocks)):
            body = self._for(_var(var, self.names), 0, extent, body, "parallel")
        return body

    def _for(self, var: Any, start: Any, extent: Any, body: Any, kind: str) -> Any:
        tvm = _tvm()
        kinds = tvm.tirx.ForKind
        chosen = {"parallel": kinds.PARALLEL, "unroll": kinds.UNROLLED}.get(kind, kinds.SERIAL)
        return tvm.tirx.For(var, _expr(start, self.names), _expr(extent, self.names), chosen, body)

    def block(self, block: Block) -> Any:
        tvm = _tvm()
        parts = [self.stmt(s) for s in block]
        if not parts:
            return tvm.tirx.Evaluate(_int(0))
        return parts[0] if len(parts) == 1 else tvm.tirx.SeqStmt(parts)

    def stmt(self, stmt: Stmt) -> Any:
        tvm = _tvm()
        if isinstance(stmt, Alloc):
            return tvm.tirx.AllocBuffer(self._place(stmt.buffer))
        if isinstance(stmt, TileOp):
            return tvm.tirx.Evaluate(self._tile(stmt))
        if isinstance(stmt, Store):
            buffer = self._place(stmt.buffer)
            value = _expr(stmt.value, self.names, stmt.buffer.dtype)
            indices = [_expr(i, self.names) for i in stmt.indices] or [_int(0)]
            return tvm.tirx.BufferStore(buffer, value, indices)
        if isinstance(stmt, Let):
            return tvm.tirx.Bind(_var(stmt.var, self.names), _expr(stmt.value, self.names))
        return self._nested(stmt)

    def _nested(self, stmt: Stmt) -> Any:
        tvm = _tvm()
        if isinstance(stmt, For):
            body = self.block(stmt.body)
            return self._for(_var(stmt.var, self.names), stmt.start, stmt.extent, body, stmt.kind)
        if isinstance(stmt, If):
            other = self.block(stmt.other) if stmt.other else None
            test = _expr(stmt.condition, self.names, BOOL)
            return tvm.tirx.IfThenElse(test, self.block(stmt.then), other)
        if isinstance(stmt, While):
            test = _expr(stmt.condition, self.names, BOOL)
            return tvm.tirx.While(test, self.block(stmt.body))
        if isinstance(stmt, CoreScope):
            side = _int(0 if stmt.core is Core.CUBE else 1)
            return tvm.tirx.AttrStmt(side, "resource_scope", side, self.block(stmt.body))
        assert isinstance(stmt, Break)
        return tvm.tirx.Break()

    def _place(self, buffer: Buffer) -> Any:
        placement = self.kernel.placements.get(buffer.uid)
        written = {"var": Memory.REGISTER, "GM": Memory.GM}.get(buffer.scope)
        if written is None and buffer.scope in Memory.__members__:
            written = Memory[buffer.scope]
        memory = placement.memory if placement is not None else written or Memory.L1
        return _buffer(buffer, self.names, memory)

    def _tile(self, op: TileOp) -> Any:
        name = f"tl.ascend_{(op.form or op.op).replace('.', '_')}"
        args = [a for arg in (*op.args, *op.extra) for a in self._arguments(arg)]
        return _call_named(name, args, None)

    def _arguments(self, arg: Any) -> list[Any]:
        if isinstance(arg, Region):
            return [self._region(arg)]
        if isinstance(arg, tuple):
            return [a for part in arg for a in self._arguments(part)]
        if arg is None:
            return []
        return [_string(arg) if isinstance(arg, str) else _expr(arg, self.names)]

    def _region(self, region: Region) -> Any:
        tvm = _tvm()
        buffer = self._place(region.buffer)
        ranges = [
            tvm.ir.Range.from_min_extent(_expr(s, self.names), _expr(e, self.names))
            for s, e in zip(region.starts, region.extents, strict=True)
        ]
        ranges += [
            tvm.ir.Range.from_min_extent(_int(0), _expr(s, self.names))
            for s in region.buffer.shape[len(ranges) :]
        ]
        return tvm.tirx.BufferRegion(buffer, ranges)


def versions() -> Mapping[str, str]:
    """The versions of TVM in use, for bug reports."""
    return {"apache-tvm": str(_tvm().__version__)}
