"""Hover: what a buffer, a value or an operation is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from tl_ascend.driver.check import FileReport
from tl_ascend.ide.cursor import node_at
from tl_ascend.ide.facts import Facts
from tl_ascend.ide.hints import about_buffer, range_label
from tl_ascend.ide.model import Hover
from tl_ascend.ide.why import as_markdown, concerns, named, why
from tl_ascend.ide.why_buffer import reasons_of_buffer
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Buffer
from tl_ascend.ir.text import show
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Position, Range
from tl_ascend.source.units import span_of


class Index:
    """The names of a file, ready for many questions."""

    def __init__(self, report: FileReport) -> None:
        self.report = report
        self._facts: dict[int, Facts] = {}

    def at(self, position: Position) -> Hover | None:
        """What stands at a position, or None."""
        node = node_at(self.report.file, position)
        if isinstance(node, ast.Attribute):
            return self._operation(node, position)
        if isinstance(node, ast.Name):
            return self._value(node.id, self._range(node), node, position)
        if isinstance(node, ast.arg):
            return self._value(node.arg, self._range(node, "name"), node, position)
        return None

    def _kernels(self, position: Position) -> Iterator[Facts]:
        """The kernels that a position may be about, those that were checked first."""
        order = sorted(self.report.kernels, key=lambda kernel: kernel.status != "checked")
        for kernel in order:
            if concerns(self.report, kernel, position):
                if id(kernel) not in self._facts:
                    self._facts[id(kernel)] = Facts(self.report, kernel)
                yield self._facts[id(kernel)]

    def _range(self, node: ast.AST, part: str = "") -> Range | None:
        return self.report.file.range_of(span_of(node, part))

    def _operation(self, node: ast.Attribute, position: Position) -> Hover | None:
        row = TABLE.get(node.attr)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "tile":
            row = TABLE.get(f"tile.{node.attr}")
        place = self._range(node, "name")
        if row is None or place is None or not isinstance(node.value, (ast.Name, ast.Attribute)):
            return None
        parts = [operation_markdown(row), self._reasons(position)]
        return Hover(place, "\n\n---\n\n".join(part for part in parts if part))

    def _reasons(self, position: Position) -> str:
        """Why the call at a position became what it is, in the first kernel that has it."""
        for facts in self._kernels(position):
            found = why(facts, position)
            if found is not None:
                shown = facts.kernel.instance
                lines = [as_markdown(facts, found.reasons), f"Instance: {shown}" if shown else ""]
                return "  \n".join(line for line in lines if line)
        return ""

    def _value(
        self, name: str, place: Range | None, node: ast.AST, position: Position
    ) -> Hover | None:
        if place is None:
            return None
        for facts in self._kernels(position):
            found = named(facts.report, facts.kernel, name, span_of(node))
            if found is not None:
                return Hover(place, value_markdown(facts, name, found))
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


def value_markdown(facts: Facts, name: str, value: Any) -> str:
    """A name of a kernel."""
    instance = facts.kernel.instance
    if isinstance(value, Buffer):
        return about_buffer(facts, value, as_markdown(facts, reasons_of_buffer(facts, value)))
    if isinstance(value, Expr):
        return f"`{name} = {show(value)}`{range_label(value)}  \nInstance: {instance}"
    return f"`{name} = {value}`  \nInstance: {instance}"
