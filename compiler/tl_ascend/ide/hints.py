"""Inlay hints of the instance that the editor shows: buffers, scopes, values, transfers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tl_ascend.driver.check import FileReport, KernelReport
from tl_ascend.ide.facts import Facts
from tl_ascend.ide.model import Hint
from tl_ascend.ide.units import size
from tl_ascend.ide.why import as_tooltip
from tl_ascend.ide.why_buffer import reasons_of_place
from tl_ascend.ide.why_statement import reasons_of_call
from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Expr, Var
from tl_ascend.ir.nodes import Buffer, Kernel, Region, TileOp, walk_stmts
from tl_ascend.ir.storage import elements, placed_bytes, root
from tl_ascend.ir.text import show
from tl_ascend.ops.row import Form
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Memory

MAX_WAYS = 16


def hints(report: FileReport) -> tuple[Hint, ...]:
    """Hints of a file, sorted. Each kernel shows its first instance."""
    shown: dict[Span, KernelReport] = {}
    for kernel in report.kernels:
        known = shown.get(kernel.span)
        if known is None or (known.status != "checked" and kernel.status == "checked"):
            shown[kernel.span] = kernel
    out: dict[tuple[Any, str, str], Hint] = {}
    for kernel in shown.values():
        for hint in _of_kernel(report, kernel):
            out.setdefault((hint.position, hint.kind, hint.label), hint)
    return tuple(sorted(out.values(), key=lambda h: (h.position, h.kind)))


def _of_kernel(report: FileReport, kernel: KernelReport) -> Iterator[Hint]:
    """A name bound in several ways (in a loop, a macro) gets a hint where all read alike."""
    facts = Facts(report, kernel)
    values: dict[Span, list[tuple[str, Any]]] = {}
    for span, name, value in kernel.values:
        values.setdefault(span, []).append((name, value))
    for span, found in values.items():
        first, *others = [_of_value(facts, span, *item) for item in _distinct(found)]
        if first is not None and all(o is not None and o.label == first.label for o in others):
            yield first
    yield from _transfers(facts)


def _distinct(found: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The ways in which a name was bound, each once."""
    kept: list[tuple[str, Any]] = []
    for name, value in found:
        if not any(value is other or value == other for _, other in kept):
            kept.append((name, value))
        if len(kept) > MAX_WAYS:
            break
    return kept


def _of_value(facts: Facts, span: Span, name: str, value: Any) -> Hint | None:
    report, kernel = facts.report, facts.kernel
    place = report.range_of(span)
    if place is None or place.path != report.file.source.path:
        return None
    if isinstance(value, Buffer):
        text = buffer_label(facts.final, value)
        kind = "scopes" if value.scope in ("shared", "fragment") else "buffers"
        tooltip = _kept(facts, value, lambda: buffer_tooltip(facts, value))
        return Hint(place.end, f": {text}", kind, tooltip)
    if isinstance(value, Expr):
        text = range_label(value)
        tooltip = f"`{name} = {show(value)}`  \n{kernel.instance}"
        return Hint(place.end, text, "values", tooltip) if text else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Hint(place.end, f": {value}", "values", kernel.instance)
    return None


# Tooltips of kernels that were shown lately. They name no places, so they are the same as long as the
# lowered kernel is.
_tooltips: OrderedDict[tuple[int, str], tuple[Kernel, dict[Any, str]]] = OrderedDict()
MAX_KERNELS = 64


def _kept(facts: Facts, about: Any, make: Callable[[], str]) -> str:
    lowered = facts.kernel.lowered
    if lowered is None:
        return make()
    key = id(lowered), facts.kernel.instance
    known = _tooltips.pop(key, None) or (lowered, {})
    _tooltips[key] = known
    if len(_tooltips) > MAX_KERNELS:
        _tooltips.popitem(last=False)
    texts = known[1]
    if about not in texts:
        texts[about] = make()
    return texts[about]


def range_label(value: Expr) -> str:
    """`: 0..7` where both bounds are known."""
    if isinstance(value, Var) and value.role == "scalar":
        return ""
    low, high = interval(value)
    if low is None or high is None or value.dtype.kind not in ("int", "uint"):
        return ""
    return f": {low}" if low == high else f": {low}..{high}"


def shape_label(shape: tuple[Any, ...]) -> str:
    """`[128,64]`."""
    return "[" + ",".join(str(s) if not isinstance(s, Expr) else show(s) for s in shape) + "]"


def buffer_label(kernel: Kernel, buffer: Buffer) -> str:
    """`float16[128,64] L1 zN 16 KiB`: type, shape, memory, layout, bytes for one core."""
    kind = buffer.dtype.name
    if buffer.scope == "var":
        return kind
    place = kernel.placements.get(root(buffer).uid)
    if place is None:
        memory = buffer.scope if buffer.scope not in ("shared", "fragment") else ""
        count = elements(buffer.shape) if buffer.scope != "GM" else None
        room = "" if count is None else size(count * buffer.dtype.bits // 8)
        return " ".join(p for p in (f"{kind}{shape_label(buffer.shape)}", memory, room) if p)
    if buffer.alias_of is not None:  # a view says itself how its bytes are read
        place = replace(place, shape=buffer.shape)
    parts = [f"{kind}{shape_label(place.shape)}", place.memory.value]
    if place.memory is not Memory.UB and place.layout != "ND":
        parts.append(place.layout)
    count = placed_bytes(buffer, place)
    if count is not None:
        parts.append(size(count))
    return " ".join(parts)


def buffer_tooltip(facts: Facts, buffer: Buffer) -> str:
    """Where a buffer lies and why; hover says more."""
    return about_buffer(facts, buffer, as_tooltip(reasons_of_place(facts, buffer)))


def about_buffer(facts: Facts, buffer: Buffer, reasons: str) -> str:
    """What a buffer is, with reasons for it, in Markdown."""
    kernel = facts.kernel
    lines = [f"**{buffer.name}**: {buffer_label(facts.final, buffer)}", reasons]
    if kernel.instance:
        lines.append(f"Instance: {kernel.instance} on {kernel.target}")
    return "  \n".join(line for line in lines if line)


def _transfers(facts: Facts) -> Iterator[Hint]:
    report, kernel = facts.report, facts.kernel.lowered
    if kernel is None:
        return
    seen: dict[Span, set[str]] = {}
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, TileOp) and stmt.op == "copy" and stmt.form:
            label = transfer_label(kernel, stmt)
            if label:
                seen.setdefault(stmt.span, set()).add(label)
    for span, labels in seen.items():
        place = report.range_of(span)
        if len(labels) == 1 and place is not None and place.path == report.file.source.path:
            tooltip = _kept(facts, span, partial(_transfer_tooltip, facts, span))
            yield Hint(place.end, labels.pop(), "transfers", tooltip)


def _transfer_tooltip(facts: Facts, span: Span) -> str:
    """What the copy became; hover says more."""
    lines = [as_tooltip(reasons_of_call(facts, span))]
    if facts.kernel.instance:
        lines.append(f"Instance: {facts.kernel.instance}")
    return "  \n".join(line for line in lines if line)


def transfer_label(kernel: Kernel, op: TileOp) -> str:
    """`GM->L1 16 KiB`: the path and the bytes of a full tile."""
    form: Form = TABLE[op.op].form(op.form)
    if form.memories is None:
        return ""
    source, target = form.memories
    tiles = [a for a in op.args if isinstance(a, Region)]
    count = tile_bytes(tiles, form)
    path = f"{source.value}->{target.value}"
    return f"{path} {size(count)}" if count is not None else path


def tile_bytes(tiles: list[Region], form: Form) -> int | None:
    """Bytes that a full tile moves, counted on chip; None where that is symbolic."""
    on_chip = [t for t in tiles if t.buffer.scope != "GM"]
    for tile in on_chip or tiles:
        count = elements(tile.extents)
        if count is not None:
            return count * tile.buffer.dtype.bits // 8
    return None
