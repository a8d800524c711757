"""A file as a list of units (top-level statements), shared between versions where unchanged."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.source.parse import Parsed, SyntaxProblem, parse
from tl_ascend.source.span import Home, Position, Range, Span
from tl_ascend.source.text import SourceText, split_lines


@dataclass(slots=True)
class Unit:
    """A top-level statement. Every node of `tree` carries `tl_node`, its pre-order number, and
    `tl_home`; rows of the nodes count from `first_row`, the row that the unit had when parsed."""

    home: Home
    tree: ast.stmt
    text: str
    first_row: int
    nodes: list[ast.AST] = field(default_factory=list)


ABOVE = "above "  # a part of a unit: the comment that stands so many lines above it


@dataclass(frozen=True, slots=True)
class FileUnits:
    """One version of a file, cut into units, with the rows where they stand now. `complete`, `cut`,
    `loose`: see `Parsed`."""

    source: SourceText
    units: tuple[Unit, ...]
    rows: Mapping[Home, int]
    by_home: Mapping[Home, Unit]
    problems: tuple[SyntaxProblem, ...]
    complete: bool = True
    cut: frozenset[int] = frozenset()
    loose: frozenset[int] = frozenset()

    def range_of(self, span: Span) -> Range | None:
        """Today's place of a span, None where its unit is not in this version."""
        unit = self.by_home.get(span.home)
        if unit is None or span.node >= len(unit.nodes):
            return None
        if span.part.startswith(ABOVE):
            return self._line(self.rows[span.home] - int(span.part.removeprefix(ABOVE)))
        start, end = _extent(unit.nodes[span.node], span.part)
        shift = self.rows[span.home] - unit.first_row
        place = self.source.position
        return Range(
            self.source.path,
            place(start[0] + shift, start[1]),
            place(end[0] + shift, end[1]),
        )

    def _line(self, row: int) -> Range | None:
        lines = self.source.lines
        if not 1 <= row <= len(lines):
            return None
        text = lines[row - 1]
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        return Range(self.source.path, Position(row, start), Position(row, end))


def cut(source: SourceText, previous: FileUnits | None = None) -> FileUnits:
    """Parse a file and cut it into units; units whose text is that of `previous` are reused."""
    if previous is not None and previous.source.text == source.text:
        return previous
    parsed = parse(source)
    if not parsed.complete and previous is not None:
        return _keep_last_good(source, previous, parsed)
    known: dict[str, list[Unit]] = {}
    for unit in previous.units if previous else ():
        known.setdefault(unit.text, []).append(unit)
    lines = split_lines(source.parseable)
    units: list[Unit] = []
    rows: dict[Home, int] = {}
    count: dict[str, int] = {}
    for tree in parsed.tree.body:
        unit = _unit(source.path, tree, lines, known, count)
        units.append(unit)
        rows[unit.home] = _first_row(tree)
    by_home = {u.home: u for u in units}
    lost = True, parsed.cut, parsed.loose
    return FileUnits(source, tuple(units), rows, by_home, parsed.problems, *lost)


def _keep_last_good(source: SourceText, previous: FileUnits, parsed: Parsed) -> FileUnits:
    rows = {h: r for h, r in previous.rows.items()}
    return FileUnits(source, previous.units, rows, previous.by_home, parsed.problems, False)


def _unit(
    path: str,
    tree: ast.stmt,
    lines: list[str],
    known: dict[str, list[Unit]],
    count: dict[str, int],
) -> Unit:
    first = _first_row(tree)
    text = "\n".join(lines[first - 1 : tree.end_lineno])
    if tree.col_offset:  # a statement after `;` shares its line: tell it apart
        text = f"{tree.col_offset}:{tree.end_col_offset}:{text}"
    same = known.get(text)
    old = same.pop(0) if same else None
    digest, nodes = (old.home.digest, None) if old else _read(tree, text)
    ordinal = count.get(digest, 0)
    count[digest] = ordinal + 1
    if old is not None and old.home.ordinal == ordinal:
        return old
    home = Home(path, digest, ordinal)
    unit = Unit(home, tree, text, first)
    _number(unit, nodes or _read(tree, text)[1])
    return unit


def constant_assignment(tree: ast.stmt) -> tuple[str, Any] | None:
    """Name and value of `name = constant` (no giant number); long files hold many of them."""
    if type(tree) is ast.Assign and type(tree.value) is ast.Constant and len(tree.targets) == 1:
        target, value = tree.targets[0], tree.value.value
        plain = not isinstance(value, int) or value.bit_length() <= 64
        if type(target) is ast.Name and plain:
            return target.id, value
    return None


def _read(tree: ast.stmt, text: str) -> tuple[str, list[ast.AST]]:
    """Plain constants go by their text: cheaper, and no result is kept for them."""
    if constant_assignment(tree) is None:
        return read_code(tree)
    assert isinstance(tree, ast.Assign)
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
    return digest, [tree, tree.targets[0], tree.value]


def _first_row(tree: ast.stmt) -> int:
    decorators = getattr(tree, "decorator_list", None)
    return min([tree.lineno, *(d.lineno for d in decorators)]) if decorators else tree.lineno


# Fields whose values are text, numbers, or said by the place of the node.
_PLAIN = frozenset(
    "ctx op ops id attr arg kind type_comment level module asname rest conversion simple is_async "
    "kwd_attrs".split()
)
_UNSAID = frozenset(("ctx", "kind", "type_comment"))


def _child_fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """Fields that can hold nodes, last first."""
    if kind in (ast.Constant, ast.alias, ast.Global, ast.Nonlocal):
        return ()
    return tuple(name for name in reversed(kind._fields) if name not in _PLAIN)


_KINDS: list[type[ast.AST]] = [
    kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)
]
_CHILDREN = {kind: _child_fields(kind) for kind in _KINDS}
# Of each kind: how it is told in a digest, the fields of its code, whether it gets a number.
_SIGNS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
_CODE = {
    kind: (
        kind.__name__,
        tuple(name for name in reversed(kind._fields) if name not in _UNSAID),
        not issubclass(kind, _SIGNS),
    )
    for kind in _KINDS
}


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below, without operators and contexts, last first."""
    found: list[ast.AST] = []
    for name in _CHILDREN[node.__class__]:
        value: Any = getattr(node, name, None)
        if value.__class__ is list:
            found += [v for v in reversed(value) if v is not None]
        elif value is not None and value.__class__ is not str:
            found.append(value)
    return found


def preorder(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but operators and contexts, parents first, left to right; never recursive."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack += children(node)


def _number(unit: Unit, nodes: list[ast.AST]) -> None:
    for number, node in enumerate(nodes):
        node.tl_node = number  # type: ignore[attr-defined]
        node.tl_home = unit.home  # type: ignore[attr-defined]
    unit.nodes = nodes


def span_of(node: ast.AST, part: str = "") -> Span:
    """The span of a node of a numbered unit."""
    return Span(node.tl_home, node.tl_node, part)  # type: ignore[attr-defined]


def code_digest(tree: ast.AST) -> str:
    """Digest of code without positions, comments and layout."""
    return read_code(tree)[0]


def read_code(tree: ast.AST) -> tuple[str, list[ast.AST]]:
    """Digest of code without positions, comments and layout, and its nodes as `preorder` has
    them. One walk for both: it is made at every keystroke."""
    parts: list[str] = []
    nodes: list[ast.AST] = []
    stack: list[Any] = [tree]
    while stack:
        item = stack.pop()
        kind = item.__class__
        if kind in _CODE:
            label, fields, counts = _CODE[kind]
            parts.append(label)
            if counts:
                nodes.append(item)
            for name in fields:
                stack.append(getattr(item, name, None))
        elif kind is str:
            parts.append(repr(item))
        elif kind is list:
            parts.append(f"[{len(item)}")
            stack += reversed(item)
        else:
            # Decimal digits of a long number are slow and, beyond 4300, refused.
            parts.append(hex(item) if kind is int else repr(item))
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=12).hexdigest(), nodes


_Place = tuple[int, int]


def _extent(node: ast.AST, part: str) -> tuple[_Place, _Place]:
    row, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    end_row = getattr(node, "end_lineno", None) or row
    end_column = getattr(node, "end_col_offset", None)
    end = (end_row, column if end_column is None else end_column)
    if part == "name":
        return _name_extent(node, (row, column), end)
    if part == "header" and isinstance(node, (ast.For, ast.With, ast.If, ast.While)):
        return (row, column), _header_end(node, end)
    return (row, column), end


def _name_extent(node: ast.AST, start: _Place, end: _Place) -> tuple[_Place, _Place]:
    if isinstance(node, ast.Attribute):
        return (end[0], end[1] - len(node.attr.encode())), end
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        lead = {"ClassDef": 6, "FunctionDef": 4}.get(type(node).__name__, 10)
        return (start[0], start[1] + lead), (start[0], start[1] + lead + len(node.name.encode()))
    if isinstance(node, (ast.keyword, ast.arg)) and node.arg:
        return start, (start[0], start[1] + len(node.arg.encode()))
    return start, end


def _header_end(node: ast.For | ast.With | ast.If | ast.While, end: _Place) -> _Place:
    if isinstance(node, ast.With):
        last: ast.AST = node.items[-1].optional_vars or node.items[-1].context_expr
    else:
        last = node.iter if isinstance(node, ast.For) else node.test
    return getattr(last, "end_lineno", end[0]), getattr(last, "end_col_offset", end[1])
