"""Fixes at today's places: edits of spans become edits of text."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from tl_ascend.diagnostics.report import LANGUAGE, TILELANG, Edit, Fix, OfLength, Where
from tl_ascend.driver.check import FileReport
from tl_ascend.ide.model import QuickFix, TextEdit
from tl_ascend.source.span import Position, Range, Span
from tl_ascend.source.text import SourceText
from tl_ascend.source.units import FileUnits

_COMMENT_OR_CLOSE = re.compile(r"#[^\r\n]*|\)")
_ARITHMETIC = (ast.Name, ast.Constant, ast.BinOp, ast.operator, ast.expr_context)
_MODULES = {LANGUAGE: "tilelang.language", TILELANG: "tilelang"}


def located_fix(report: FileReport, fix: Fix) -> QuickFix | None:
    """The fix for the text as it is; None where its edits have no certain place."""
    edits: list[TextEdit] = []
    for edit in fix.edits:
        file = report.files.get(edit.span.home.path)
        place = file.range_of(edit.span) if file is not None else None
        found = _located(file, edit, place) if file is not None and place is not None else None
        if found is None:
            return None
        edits.append(found)
    return QuickFix(fix.title, tuple(edits), fix.applicability)


def _located(file: FileUnits, edit: Edit, place: Range) -> TextEdit | None:
    if edit.within is not None and not _inside(file.range_of(edit.within), place):
        return None
    new = edit.new_text if edit.of_length is None else _of_length(file, edit, edit.of_length)
    text = _named(file, new) if new is not None else None
    return _PLACES[edit.where](file, edit, place, text) if text is not None else None


def _inside(outer: Range | None, inner: Range) -> bool:
    return outer is not None and outer.start <= inner.start and inner.end <= outer.end


# --- where ---------------------------------------------------------------------------------------


def _insert(place: Range, at: Position, text: str) -> TextEdit:
    return TextEdit(Range(place.path, at, at), text)


def _over(file: FileUnits, edit: Edit, place: Range, text: str) -> TextEdit:
    before = file.source.lines[place.start.row - 1][: place.start.column].rstrip()
    behind = file.source.lines[place.end.row - 1][place.end.column :].lstrip()
    bare = text.removeprefix("(").removesuffix(")")
    if len(bare) == len(text) - 2 and before.endswith("(") and behind.startswith(")"):
        return TextEdit(place, bare if _same(bare, text) else text)
    return TextEdit(place, text)


def _same(one: str, other: str) -> bool:
    """True where two texts are one expression, which is no tuple."""
    try:
        trees = [ast.parse(text, mode="eval").body for text in (one, other)]
    except SyntaxError:
        return False
    return ast.dump(trees[0]) == ast.dump(trees[1]) and not isinstance(trees[0], ast.Tuple)


def _behind(file: FileUnits, edit: Edit, place: Range, text: str) -> TextEdit:
    return _insert(place, place.end, text)


def _above(file: FileUnits, edit: Edit, place: Range, text: str) -> TextEdit | None:
    indent = _indent(file.source, place)
    if indent is None:
        return None
    return _insert(place, place.start, _block(file.source, text, indent) + indent)


def _below(file: FileUnits, edit: Edit, place: Range, text: str) -> TextEdit | None:
    indent, line = _indent(file.source, place), file.source.lines[place.end.row - 1]
    if indent is None or not re.fullmatch(r"\s*(#.*)?", line[place.end.column :]):
        return None
    end = newline(file.source)
    block = end + indent + _block(file.source, text, indent).removesuffix(end)
    return _insert(place, Position(place.end.row, len(line)), block)


def _indent(source: SourceText, place: Range) -> str | None:
    """What stands before a statement that begins its line."""
    before = source.lines[place.start.row - 1][: place.start.column]
    return before if not before.strip() else None


def _block(source: SourceText, text: str, indent: str) -> str:
    """Lines, all but the first indented, each with an end."""
    end = newline(source)
    return f"{end}{indent}".join(text.split("\n")) + end


def _argument(file: FileUnits, edit: Edit, place: Range, text: str) -> TextEdit | None:
    node = _node(file, edit)
    if not isinstance(node, ast.Call):  # a decorator without parentheses
        return _insert(place, place.end, f"({text})")
    given: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
    if any(isinstance(g, ast.Starred) or (isinstance(g, ast.keyword) and not g.arg) for g in given):
        return None  # which may hold this argument already
    return _last(file, edit, place, given, text)


def _length(file: FileUnits, edit: Edit, place: Range, text: str) -> TextEdit | None:
    last = _last_length(file, edit.span)
    if last is None or last.lineno != last.end_lineno:
        return None
    unit = file.by_home[edit.span.home]
    row = last.lineno + file.rows[edit.span.home] - unit.first_row
    start = file.source.position(row, last.col_offset)
    end = file.source.position(row, last.end_col_offset or 0)
    return TextEdit(Range(place.path, start, end), text)


def _last_length(file: FileUnits, allocation: Span) -> ast.expr | None:
    node = file.by_home[allocation.home].nodes[allocation.node]
    if not isinstance(node, ast.Call):
        return None
    named = [keyword.value for keyword in node.keywords if keyword.arg == "shape"]
    shape = next(iter([*named, *node.args]), None)
    return shape.elts[-1] if isinstance(shape, (ast.Tuple, ast.List)) and shape.elts else None


def _item(file: FileUnits, edit: Edit, place: Range, text: str) -> TextEdit | None:
    node = _node(file, edit)
    if not isinstance(node, ast.Dict) or None in node.keys:
        return None
    return _last(file, edit, place, node.values, text)


def _last(
    file: FileUnits,
    edit: Edit,
    place: Range,
    given: Sequence[ast.expr | ast.keyword],
    text: str,
) -> TextEdit:
    """Behind the last of several, in front of a comma that may follow it."""
    source = file.source
    closing = source.offset(place.end) - 1
    if not given:
        at = Position(place.end.row, place.end.column - 1)
        return _insert(place, at, text)
    last = max(given, key=lambda g: (g.end_lineno or 0, g.end_col_offset or 0))
    unit = file.by_home[edit.span.home]
    row = (last.end_lineno or 1) + file.rows[edit.span.home] - unit.first_row
    end = start = source.offset(source.position(row, last.end_col_offset or 0))
    for found in _COMMENT_OR_CLOSE.finditer(source.text, start, closing):
        if found[0] == ")":  # of parentheses around the last one
            end = found.end()
    return _insert(place, source.position_at(end), f", {text}")


def _node(file: FileUnits, edit: Edit) -> ast.AST:
    return file.by_home[edit.span.home].nodes[edit.span.node]


_Place = Callable[[FileUnits, Edit, Range, str], "TextEdit | None"]
_PLACES: dict[Where, _Place] = {
    Where.OVER: _over,
    Where.BEHIND: _behind,
    Where.ABOVE: _above,
    Where.BELOW: _below,
    Where.ARGUMENT: _argument,
    Where.ITEM: _item,
    Where.LENGTH: _length,
}


# --- what ----------------------------------------------------------------------------------------


def newline(source: SourceText) -> str:
    """How lines of a file end."""
    return "\r\n" if "\r\n" in source.text else "\n"


def _of_length(file: FileUnits, edit: Edit, other: OfLength) -> str | None:
    """The text for a length that is a number, or for one that is arithmetic on names that mean the
    same at the edit."""
    last = _last_length(file, other.allocation)
    if isinstance(last, ast.Constant) and type(last.value) is int:
        return edit.new_text
    if last is None or not all(isinstance(node, _ARITHMETIC) for node in ast.walk(last)):
        return None
    if _function(file, edit.span) is not _function(file, other.allocation):
        return None
    text = ast.unparse(last)
    return other.text.replace("{length}", text)


def _function(file: FileUnits, span: Span) -> ast.AST | None:
    """The innermost function that a node stands in."""
    unit = file.by_home[span.home]
    line = getattr(unit.nodes[span.node], "lineno", 0)
    around = [
        node
        for node in ast.walk(unit.tree)
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda node: node.lineno, default=None)


def _named(file: FileUnits, text: str) -> str | None:
    """The text with the names that the file has for modules; None where it has none."""
    for mark, module in _MODULES.items():
        if mark in text:
            name = _name_of(file, module)
            if name is None:
                return None
            text = text.replace(mark, name)
    return text


def _name_of(file: FileUnits, module: str) -> str | None:
    package, _, attribute = module.rpartition(".")
    for unit in file.units:
        tree = unit.tree
        if isinstance(tree, ast.Import):
            for alias in tree.names:
                if alias.name == module:
                    return alias.asname or module
        elif isinstance(tree, ast.ImportFrom) and tree.module == package and not tree.level:
            for alias in tree.names:
                if alias.name == attribute:
                    return alias.asname or attribute
    return None
