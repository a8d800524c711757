"""The kernels of a file as an editor offers them: where they stand and how commands name them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tl_ascend.driver.check import FileReport
from tl_ascend.driver.select import Selected, numbered
from tl_ascend.ir.arguments import names_of
from tl_ascend.source.span import Position, Range, Span
from tl_ascend.source.units import span_of


@dataclass(frozen=True, slots=True)
class KernelPlace:
    """`name`, `number`: its first instance as commands select it; `instances`: number and arguments of
    all of them; `sizes`: the symbolic dimensions and scalars that a run may give; `head`: the first line
    of its factory, of itself where there is none or where several share one; `whole`: what belongs to
    that."""

    name: str
    number: int
    instances: tuple[tuple[int, str], ...]
    sizes: tuple[str, ...]
    head: Range
    whole: Range


def kernel_places(report: FileReport) -> tuple[KernelPlace, ...]:
    """The kernels that stand in this file, each once, in the order of their lines."""
    groups: dict[Span, list[Selected]] = {}
    for item in numbered(report):
        groups.setdefault(item.kernel.span, []).append(item)
    names = [items[0].name for items in groups.values()]
    found = []
    for span, items in groups.items():
        first = items[0]
        node = _definition(report, span, first.name if names.count(first.name) == 1 else "")
        place = report.range_of(span_of(node)) if node is not None else None
        if place is not None and node is not None:
            head = _head(report, node, place)
            whole = Range(place.path, head.start, place.end)
            instances = tuple((item.number, item.kernel.instance) for item in items)
            sizes = tuple(names_of(first.kernel.kernel))
            found.append(KernelPlace(first.name, first.number, instances, sizes, head, whole))
    return tuple(sorted(found, key=lambda k: k.head))


def at(places: tuple[KernelPlace, ...], row: int) -> KernelPlace | None:
    """The innermost kernel around a row; the only one of the file where the row is in none."""
    around = [p for p in places if p.whole.start.row <= row <= p.whole.end.row]
    if around:
        return max(around, key=lambda p: p.head)
    return places[0] if len(places) == 1 else None


def _definition(report: FileReport, span: Span, factory: str) -> ast.AST | None:
    """The definition of the factory around a kernel, else that of the kernel."""
    unit = report.file.by_home.get(span.home)
    if unit is None or span.node >= len(unit.nodes):
        return None
    own = unit.nodes[span.node]
    for node in _around(unit.nodes[: span.node], own):
        if getattr(node, "name", "") == factory:
            return node
    return own


def _around(nodes: list[ast.AST], inner: ast.AST) -> Iterator[ast.AST]:
    """The functions that hold a node."""
    row = getattr(inner, "lineno", 0)
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.lineno <= row <= (node.end_lineno or node.lineno):
                yield node


def _head(report: FileReport, node: ast.AST, place: Range) -> Range:
    """From the first decorator to the end of the line of the name."""
    rows = [getattr(d, "lineno", 0) for d in getattr(node, "decorator_list", ())]
    above = getattr(node, "lineno", 0) - min(rows, default=getattr(node, "lineno", 0))
    row = place.start.row
    start = Position(max(1, row - above), place.start.column)
    return Range(place.path, start, Position(row, len(report.file.source.lines[row - 1])))
