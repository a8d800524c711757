"""Hover: what a buffer, a value or an operation is."""

from __future__ import annotations

import ast
from typing import Any

from tl_ascend.driver.check import FileReport, KernelReport
from tl_ascend.ide.hints import buffer_tooltip, range_label
from tl_ascend.ide.model import Hover
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Buffer
from tl_ascend.ir.text import show
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Position, Range
from tl_ascend.source.units import Unit, span_of


class Index:
    """The names of a file, ready for many questions."""

    def __init__(self, report: FileReport) -> None:
        self.report = report

    def at(self, position: Position) -> Hover | None:
        """What stands at a position, or None."""
        unit = self._unit(position)
        if unit is None:
            return None
        node = self._node(unit, position)
        if isinstance(node, ast.Attribute):
            return self._operation(node)
        if isinstance(node, ast.Name):
            return self._name(unit, node)
        if isinstance(node, ast.arg):
            return self._value(node.arg, self._range(node, "name"), node)
        return None

    def _unit(self, position: Position) -> Unit | None:
        found: Unit | None = None
        for unit in self.report.file.units:
            if self.report.file.rows[unit.home] > position.row:
                break
            found = unit
        return found

    def _node(self, unit: Unit, position: Position) -> ast.AST | None:
        best: ast.AST | None = None
        row = position.row - self.report.file.rows[unit.home] + unit.first_row
        for node in unit.nodes:
            if not isinstance(node, (ast.Attribute, ast.Name, ast.arg)):
                continue
            if node.end_lineno != row:  # names do not span rows; places are costly to compute
                continue
            part = "" if isinstance(node, ast.Name) else "name"
            place = self._range(node, part)
            if place is not None and place.contains(position):
                best = node
        return best

    def _range(self, node: ast.AST, part: str = "") -> Range | None:
        return self.report.file.range_of(span_of(node, part))

    def _operation(self, node: ast.Attribute) -> Hover | None:
        row = TABLE.get(node.attr)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "tile":
            row = TABLE.get(f"tile.{node.attr}")
        place = self._range(node, "name")
        if row is None or place is None or not isinstance(node.value, (ast.Name, ast.Attribute)):
            return None
        return Hover(place, operation_markdown(row))

    def _name(self, unit: Unit, node: ast.Name) -> Hover | None:
        return self._value(node.id, self._range(node), node)

    def _value(self, name: str, place: Range | None, node: ast.AST) -> Hover | None:
        if place is None:
            return None
        home = span_of(node).home
        for kernel in self.report.kernels:
            for span, known, value in kernel.values:
                if known == name and span.home == home:
                    return Hover(place, value_markdown(kernel, name, value))
            for param in kernel.kernel.params:
                if param.name == name and param.span.home == home:
                    return Hover(place, value_markdown(kernel, name, param.value))
        return None


def operation_markdown(row: Op) -> str:
    """Signature, meaning, memories and pipe of an operation."""
    lines = [f"```python\n{row.signature}\n```", row.doc]
    where = [
        f"`{p.name}`: {', '.join(m.value for m in p.memories)}" for p in row.params if p.memories
    ]
    if where:
        lines.append("Operands: " + "; ".join(where))
    forms = [f for f in row.forms if f.name]
    if forms and row.kind == "tile":
        pipes = sorted({f.pipe.value for f in forms})
        lines.append(f"Core: {row.core.value}; pipe: {', '.join(pipes)}")
    lines += _element_types(row)
    if row.deprecated:
        lines.append(f"**Deprecated:** {row.deprecated}")
    if row.status:
        lines.append(f"**Not usable:** {row.status}")
    if row.source:
        lines.append(f"*{row.source}*")
    return "\n\n".join(line for line in lines if line)


def _element_types(row: Op) -> list[str]:
    """Element types by platform; platforms that take the same stand together."""
    platforms: dict[frozenset[str], list[str]] = {}
    for name, kinds in row.dtypes.items():
        platforms.setdefault(kinds, []).append(name)
    return [
        f"Element types ({', '.join(where)}): {', '.join(sorted(kinds))}"
        for kinds, where in platforms.items()
    ]


def value_markdown(kernel: KernelReport, name: str, value: Any) -> str:
    """A name of a kernel."""
    if isinstance(value, Buffer):
        return buffer_tooltip(kernel, value)
    if isinstance(value, Expr):
        bounds = range_label(value)
        return f"`{name} = {show(value)}`{bounds}  \nInstance: {kernel.instance}"
    return f"`{name} = {value}`  \nInstance: {kernel.instance}"
