"""The package `tilelang`: jit, compile, pass options, and the language itself."""

from __future__ import annotations

import ast
import difflib
from functools import partial
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.compiling import to_compile
from tl_ascend.frontend.language import no_op
from tl_ascend.frontend.language_names import TILE, look_up, look_up_old, name_of_t, old_name
from tl_ascend.frontend.machine import Machine, Mistake, python_error
from tl_ascend.frontend.models.jit_options import PASS_CONFIG_KEYS, tell_wrong_options
from tl_ascend.frontend.values import (
    Builtin,
    DTypeRef,
    Function,
    JitFactory,
    KernelHandle,
    Namespace,
    PrimFunc,
    Unknown,
    first_unknown,
)
from tl_ascend.ir import fold
from tl_ascend.ir.nodes import Buffer
from tl_ascend.source.span import Span
from tl_ascend.source.units import span_of
from tl_ascend.target.dtypes import dtype

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program


def install(program: Program) -> None:
    """`import tilelang` and `import tilelang.language`."""
    program.externals["tilelang"] = _tilelang
    program.attribute_models[DTypeInfo] = _dtype_member


def _tilelang() -> Namespace:
    tile = Namespace("T.tile", {}, partial(name_of_t, prefix=TILE), partial(look_up, prefix=TILE))
    old = Namespace("tilelang.language.pto", {}, old_name, look_up_old)
    t = Namespace("T", {"tile": tile, "pto": old}, name_of_t, look_up)
    cache = Namespace("tilelang.cache", {"clear_cache": no_op("clear_cache")}, _opaque)
    attributes: dict[str, Any] = {
        "language": t,
        "jit": Builtin("jit", _jit, True),
        "compile": Builtin("compile", _compile, True),
        "PassConfigKey": Namespace("PassConfigKey", dict(PASS_CONFIG_KEYS), _opaque, _option),
        "cache": cache,
        "cdiv": Builtin("cdiv", _cdiv, True),
        "math": Namespace("tilelang.math", _math(), _opaque),
        "DataType": Builtin("DataType", _datatype),
        "intrinsics": Namespace("tilelang.intrinsics", _layouts(), _opaque),
        "autotune": Builtin("autotune", _autotune),
    }
    for name in ("disable_cache", "enable_cache", "set_log_level", "set_cache_dir"):
        attributes[name] = no_op(name)
    attributes["transform"] = Namespace(
        "tilelang.transform", {"PassConfigKey": attributes["PassConfigKey"]}, _opaque
    )
    return Namespace("tilelang", attributes, _opaque)


def _opaque(name: str) -> Any:
    return Unknown(f"{name} of tilelang is not evaluated")


def _option(m: Machine, node: ast.AST, name: str) -> Any:
    """A member of PassConfigKey that is none of its options."""
    if name.startswith("_") or name in _OF_EVERY_ENUM:
        return _opaque(name)
    near = difflib.get_close_matches(name, PASS_CONFIG_KEYS, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    part = "name" if isinstance(node, ast.Attribute) else ""
    text = f"PassConfigKey has no member {name}{hint}"
    raise Mistake("unknown-api", span_of(node, part), text, certain=True)


_OF_EVERY_ENUM = frozenset(dir(str))  # its members are texts


_JIT_SETTINGS = (
    "out_idx workspace_idx target target_host platform execution_backend verbose pass_configs "
    "debug_root_path compile_flags"
).split()


def _keywords(node: ast.AST) -> dict[str, Span]:
    if not isinstance(node, ast.Call):
        return {}
    return {k.arg: span_of(k.value) for k in node.keywords if k.arg is not None}


def _jit(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    spans = _keywords(node)
    for name in kwargs:
        if name not in _JIT_SETTINGS:
            raise Mistake(
                "unknown-api",
                spans.get(name, span_of(node)),
                f"tilelang.jit has no argument {name!r}",
                certain=True,
            )
    tell_wrong_options(m, node, kwargs, spans)

    def decorate(m: Machine, at: ast.AST, functions: list[Any], _: dict[str, Any]) -> Any:
        value = functions[0] if functions else None
        if isinstance(value, PrimFunc):
            text = (
                "tilelang.jit takes the function that builds the kernel, not the prim_func itself"
            )
            notes = ("use tilelang.compile for a prim_func",)
            raise Mistake("kernel-form", at, text, notes, certain=True)
        places = {**spans, "jit": span_of(node)}
        return JitFactory(value, kwargs, places) if isinstance(value, Function) else value

    return decorate(m, node, args, {}) if args else Builtin("jit", decorate)


def _compile(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    names = ("func", "out_idx", "workspace_idx", "execution_backend", "target", "target_host")
    settings = {**dict(zip(names, args, strict=False)), **kwargs}
    function = settings.pop("func", None)
    spans = {**_keywords(node), "jit": span_of(node)}
    if isinstance(node, ast.Call):
        spans.update({n: span_of(a) for n, a in zip(names, node.args, strict=False)})
    tell_wrong_options(m, node, settings, spans)
    if isinstance(function, PrimFunc):
        fails = bool(m.expecting_failure)
        record = to_compile(m.program.records, function.record, fails)
        m.program.ways.configure(record, settings, spans)
        return KernelHandle(record)
    return first_unknown(function) or Unknown(
        "tilelang.compile of an unknown kernel", span_of(node)
    )


def _autotune(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    configs = kwargs.get("configs", Unknown("autotune without configurations"))

    def decorate(m: Machine, at: ast.AST, functions: list[Any], _: dict[str, Any]) -> Any:
        value = functions[0] if functions else None
        if isinstance(value, Function):
            value = JitFactory(value, {}, {})
        if isinstance(value, JitFactory):
            value.tuning = configs
        return value

    return decorate(m, node, args, {}) if args else Builtin("autotune", decorate)


def _cdiv(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from tl_ascend.frontend.expressions import as_scalar, is_scalar

    values = [as_scalar(a) for a in args]
    if len(values) == 2 and all(map(is_scalar, values)):
        try:
            return fold.ceildiv(values[0], values[1])
        except ZeroDivisionError:
            raise python_error(
                node, ZeroDivisionError("division by zero in tilelang.cdiv")
            ) from None
    return first_unknown(values) or Unknown("tilelang.cdiv of these values", span_of(node))


def _math() -> dict[str, Any]:
    def power(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if len(args) == 1 and isinstance(args[0], int) and args[0] < 2**62:
            return 1 << max(args[0] - 1, 0).bit_length()
        return first_unknown(args) or Unknown("next_power_of_2 of this value", span_of(node))

    return {"next_power_of_2": Builtin("next_power_of_2", power), "cdiv": Builtin("cdiv", _cdiv)}


def _layouts() -> dict[str, Any]:
    def make(layout: str) -> Builtin:
        def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
            return (
                layout
                if args and isinstance(args[0], Buffer)
                else Unknown("a layout", span_of(node))
            )

        return Builtin(layout, apply)

    return {
        "make_zn_layout": make("zN"),
        "make_nz_layout": make("nZ"),
        "make_col_major_layout": make("col-major"),
    }


class DTypeInfo:
    """`tilelang.DataType(name)`."""

    def __init__(self, name: str) -> None:
        self.name = name


def _datatype(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], str) and dtype(args[0]) is not None:
        return DTypeInfo(args[0])
    return first_unknown(args) or Unknown("an unknown element type", span_of(node))


def _dtype_member(m: Machine, node: ast.AST, owner: DTypeInfo, name: str) -> Any:
    found = dtype(owner.name)
    if found is not None and name == "bits":
        return found.bits
    if found is not None and name in ("itemsize", "bytes"):
        return found.bytes
    return DTypeRef(owner.name) if name == "dtype" else Unknown(f"DataType.{name}", span_of(node))
