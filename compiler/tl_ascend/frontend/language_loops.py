"""Frames, loops and annotations of `T`."""

from __future__ import annotations

import ast
from typing import Any

from tl_ascend.diagnostics.report import Edit, Fix, Where
from tl_ascend.frontend.language import HANDLERS, Handler, handler
from tl_ascend.frontend.machine import Machine, Mistake
from tl_ascend.frontend.values import Frame, LoopSpec, TileCall, Unknown, first_unknown
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Break, Buffer, Stmt, TileOp
from tl_ascend.ops.table import TABLE
from tl_ascend.source.units import span_of


@handler("Kernel")
def _kernel(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    blocks = bound["blocks"]
    if bound["is_npu"] is True and len(blocks) != 1:
        text = f"T.Kernel(is_npu=True) takes exactly one block extent, not {len(blocks)}"
        raise Mistake("kernel-form", node, text)
    if bound["is_npu"] is False and bound["is_cpu"] is False and bound["threads"] in (None, 1, 2):
        raise _no_npu(node)
    threads = bound["threads"]
    if isinstance(threads, (list, tuple)) and len(threads) == 1:
        bound["threads"] = threads = threads[0]
    if bound["is_npu"] is True and isinstance(threads, int) and threads not in (1, 2):
        text = f"threads must be 1 or 2 on an NPU (vector cores per cube core), not {threads}"
        raise Mistake("kernel-form", node, text)
    return Frame("Kernel", tuple(blocks), bound, span_of(node))


def _no_npu(node: ast.AST) -> Mistake:
    """A launch with threads of a GPU, such as 128, may be meant for one."""
    notes = ("Without it upstream builds the launch of a GPU: up to three extents, and threads.",)
    fix = Fix("Add is_npu=True", (Edit(span_of(node), "is_npu=True", Where.ARGUMENT),))
    text = "this launch is not one of an NPU: is_npu=True is missing"
    return Mistake("kernel-form", node, text, notes, fixes=(fix,))


@handler("Scope")
def _scope_frame(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    if isinstance(bound["name"], Unknown):
        return bound["name"]
    if bound["name"] not in ("C", "V"):
        notes = ('upstream takes any name but "C" for the vector cores',)
        text = f'a scope is "C" (cube) or "V" (vector), not {bound["name"]!r}'
        raise Mistake("kernel-form", node, text, notes)
    return Frame("Scope", (bound["name"],), bound, span_of(node))


@handler("If")
def _if_frame(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    return Frame("If", (bound["condition"],), bound, span_of(node))


@handler("Then")
def _then_frame(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    return Frame("Then", (), bound, span_of(node))


@handler("Else")
def _else_frame(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    return Frame("Else", (), bound, span_of(node))


def _loop(kind: str) -> Handler:
    def make(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
        from tl_ascend.frontend.subscripts import difference

        start, stop = bound["start"], bound["stop"]
        if stop is None:
            start, stop = 0, start
        start, stop = _integer(start, node), _integer(stop, node)
        unknown = first_unknown(start, stop)
        extent = unknown or difference(stop, start)
        rest = {k: v for k, v in bound.items() if k not in ("start", "stop") and v is not None}
        extra = {k: _annotation(v) for k, v in rest.items()}
        return LoopSpec(kind, start, (extent,), extra)

    return make


for _kind in ("serial", "unroll", "vectorized"):
    HANDLERS[_kind] = _loop(_kind)
HANDLERS["Pipelined"] = _loop("pipelined")


def _annotation(value: Any) -> Any:
    """Annotations are part of what a kernel is known by: containers as tuples."""
    if isinstance(value, dict):
        return tuple((_annotation(k), _annotation(v)) for k, v in value.items())
    if isinstance(value, (list, tuple, set)):
        return tuple(map(_annotation, value))
    return value


@handler("Parallel", "grid")
def _parallel(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    extents = tuple(_integer(e, node) for e in bound["extents"])
    kind = "parallel" if "coalesced_width" in bound else "serial"
    return LoopSpec(kind, 0, extents, {})


@handler("Persistent")
def _persistent(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    domain = bound["domain"]
    if not isinstance(domain, (list, tuple)) or not domain:
        return first_unknown(domain) or Unknown("the domain of T.Persistent", span_of(node))
    names = ("wave_size", "index", "group_size")
    extra = {name: _integer(bound[name], node) for name in names}
    if any(
        v == 0 for v in (extra["wave_size"], extra["group_size"], *domain) if isinstance(v, int)
    ):
        return Unknown("a T.Persistent without tiles or waves", span_of(node))
    return LoopSpec("persistent", 0, tuple(_integer(v, node) for v in domain), extra)


def _integer(value: Any, node: ast.AST) -> Any:
    """A bound of a loop; unknown where it is no integer."""
    from tl_ascend.frontend.expressions import as_scalar

    value = as_scalar(value)
    if isinstance(value, (int, Expr, Unknown)):
        return value
    return Unknown("a bound of this loop is no integer", span_of(node))


@handler("loop_break")
def _loop_break(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    return _statements(node, "loop_break", (Break(span_of(node)),))


def _statements(node: ast.AST, name: str, stmts: tuple[Stmt, ...]) -> TileCall:
    """A call that emits these statements where it stands."""
    return TileCall(TABLE[name], (), span_of(node), (), stmts)


# --- annotations ---------------------------------------------------------------------------------


def _flags(name: str, each: str) -> Handler:
    def expand(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
        flags = _flag_map(bound["fmap"])
        if flags is None:
            return first_unknown(bound["fmap"]) or Unknown(f"the map of T.{name}", span_of(node))
        here = span_of(node)
        calls = tuple(TileOp(each, flag, here, (here,) * len(flag)) for flag in flags)
        if name == "clear_flag" and m.builder is not None:
            # A macro of upstream: it takes effect wherever it is called.
            for call in calls:
                m.builder.emit(call)
            return None
        return _statements(node, name, calls)

    return expand


def _flag_map(value: Any) -> list[tuple[str, str, int]] | None:
    """Source pipe, destination pipe and id of each flag of {source: {destination: [ids]}}."""
    if not isinstance(value, dict):
        return None
    found: list[tuple[str, str, int]] = []
    for source, targets in value.items():
        if not isinstance(targets, dict):
            return None
        for target, events in targets.items():
            if not isinstance(events, (list, tuple, range)):
                return None
            found += [(source, target, event) for event in events]
    if not all(
        isinstance(s, str) and isinstance(t, str) and isinstance(e, int) for s, t, e in found
    ):
        return None
    return found


HANDLERS["init_flag"] = _flags("init_flag", "set_flag")
HANDLERS["clear_flag"] = _flags("clear_flag", "wait_flag")


@handler("func_attr")
def _func_attr(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    if m.builder is not None and isinstance(bound["attrs"], dict):
        m.builder.attrs.update(bound["attrs"])
    return None


@handler("annotate_address")
def _annotate_address(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    if m.builder is not None and isinstance(bound["address_map"], dict):
        for buffer, address in bound["address_map"].items():
            if isinstance(buffer, Buffer) and isinstance(address, int):
                m.builder.addresses[buffer.uid] = address
    return None


@handler("annotate_layout")
def _annotate_layout(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    if m.builder is not None and isinstance(bound["layout_map"], dict):
        for buffer, layout in bound["layout_map"].items():
            if isinstance(buffer, Buffer) and isinstance(layout, str):
                m.builder.layouts[buffer.uid] = layout
    return None


@handler("annotate_padding", "block_attr", "import_source")
def _no_effect(m: Machine, node: ast.AST, bound: dict[str, Any]) -> Any:
    """What nothing on Ascend reads."""
    return None
