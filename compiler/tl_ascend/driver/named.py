"""What the author wrote for what is at fault: what several places take from one name is one fault."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tl_ascend.checks.once import Names, told_once
from tl_ascend.diagnostics.report import Cause, Finding
from tl_ascend.ir.nodes import Alloc, Buffer, Kernel, walk_stmts
from tl_ascend.source.span import Span
from tl_ascend.source.units import FileUnits


def once(
    findings: Sequence[Finding], kernel: Kernel, files: Mapping[str, FileUnits]
) -> tuple[Finding, ...]:
    """Each fault of a kernel once."""
    return told_once(_in_words(findings, files), kernel, _names_in(kernel, files))


def _names_in(kernel: Kernel, files: Mapping[str, FileUnits]) -> Names:
    """Of the element type of a buffer, and of its lengths, what stands in its allocation, unless that is
    a constant of its own."""
    made = [stmt.buffer for stmt in walk_stmts(kernel.body) if isinstance(stmt, Alloc)]
    buffers: dict[int, Buffer] = {buffer.uid: buffer for buffer in (*kernel.tensors, *made)}

    def names(cause: Cause) -> Iterator[Cause]:
        match cause:
            case ("type", int(uid), wanted) if uid in buffers:
                kind = _argument(_node(buffers[uid].span, files), "dtype", 1)
                yield from _written(kind, "type", buffers[uid].span, wanted)
            case ("row" | "lengths" as what, int(uid)) if uid in buffers:
                written = _lengths(buffers[uid], files)
                for node, size in written[-1:] if what == "row" else written:
                    yield from _written(node, what, buffers[uid].span, size)

    return names


def _in_words(findings: Sequence[Finding], files: Mapping[str, FileUnits]) -> list[Finding]:
    """What Python raises again where the same words stand is raised once: the first time."""
    return [_with_words(one, files) if one.name == "python-error" else one for one in findings]


def _with_words(finding: Finding, files: Mapping[str, FileUnits]) -> Finding:
    node = _node(finding.span, files)
    if not isinstance(node, ast.expr):
        return finding
    cause = "raised", finding.message, finding.span.home, ast.unparse(node)
    return replace(finding, causes=(*finding.causes, cause))


def _node(span: Span, files: Mapping[str, FileUnits]) -> ast.AST | None:
    file = files.get(span.home.path)
    unit = None if file is None else file.by_home.get(span.home)
    known = unit is not None and span.node < len(unit.nodes)
    return unit.nodes[span.node] if unit is not None and known else None


def _lengths(buffer: Buffer, files: Mapping[str, FileUnits]) -> list[tuple[ast.expr, Cause]]:
    shape = _argument(_node(buffer.span, files), "shape", 0)
    nodes = shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else []
    return list(zip(nodes, buffer.shape, strict=True)) if len(nodes) == len(buffer.shape) else []


def _argument(call: ast.AST | None, name: str, at: int) -> ast.expr | None:
    if not isinstance(call, ast.Call):
        return None
    named = [keyword.value for keyword in call.keywords if keyword.arg == name]
    return next(iter([*named, *call.args[at : at + 1]]), None)


def _written(node: ast.expr | None, what: str, at: Span, value: Cause) -> Iterator[Cause]:
    if node is not None and not isinstance(node, ast.Constant):
        yield "written", what, at.home, ast.unparse(node), value
