"""Parsing that survives broken lines: one bad statement costs that statement.

`ast` is an order of magnitude faster than error-tolerant parsers, so a text that does not parse is
repaired instead: the line that `ast` complains about is blanked and the rest parsed again.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from tl_ascend.source.span import Position
from tl_ascend.source.text import SourceText, split_lines

MAX_REPAIRS = 40
# The longest kernel file known has 46,000.
MAX_TOKENS = 100_000
_HEADER_ROW = re.compile(r"on line (\d+)")
_COMMENT = re.compile(r"#[^\n\r]*")
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """One place that does not parse, or is not parsed. `rule`: name in the catalogue."""

    start: Position
    end: Position
    message: str
    rule: str = "syntax-error"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tree of what could be parsed, and what could not. `complete` is False after giving up.
    `cut`: rows that are left out; `loose`: those of them and of the tree that may belong to what
    stands above, since their indentation fits nowhere."""

    tree: ast.Module
    problems: tuple[SyntaxProblem, ...]
    complete: bool = True
    cut: frozenset[int] = frozenset()
    loose: frozenset[int] = frozenset()


def parse(source: SourceText) -> Parsed:
    """Parse a file; syntax errors become problems. A file that is too long is not parsed."""
    if (count := token_count(source.text)) > MAX_TOKENS:
        return Parsed(ast.Module([], []), (_too_long(source, count),), complete=False)
    lines = split_lines(source.parseable)
    problems: list[SyntaxProblem] = []
    touched: set[int] = set()
    loose: set[int] = set()
    for _ in range(MAX_REPAIRS):
        try:
            tree = _parse_lines(lines)
            misplaced = tuple(_misplaced(tree, lines))
            loose.update(problem.start.row for problem in misplaced)
            found = (*problems, *misplaced)
            return Parsed(tree, found, True, frozenset(touched), frozenset(loose))
        except SyntaxError as error:
            row = _repair(lines, error, touched)
            if row is None:
                break
            if not problems or not _echo(row, touched):
                problems.append(_problem(source, error))
            touched.add(row)
            if isinstance(error, IndentationError):
                loose.add(row)
        except (RecursionError, MemoryError):
            row = max(range(len(lines)), key=lambda i: len(lines[i])) + 1
            problems.append(_too_deep(source, row))
            _blank(lines, row, touched)
            touched.add(row)
    if not problems:
        problems.append(SyntaxProblem(Position(1, 0), Position(1, 0), "cannot be parsed"))
    return Parsed(ast.Module([], []), tuple(problems[:1]), complete=False)


def _misplaced(tree: ast.Module, lines: list[str]) -> Iterator[SyntaxProblem]:
    """Statements that leave what they do not stand in, which `ast` does not say."""
    found: list[ast.stmt] = []
    todo: list[tuple[ast.AST, bool, bool]] = [(tree, False, False)]
    while todo:
        node, function, loop = todo.pop()
        if isinstance(node, ast.Return) and not function:
            found.append(node)
        elif isinstance(node, (ast.Break, ast.Continue)) and not loop:
            found.append(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            function, loop = not isinstance(node, ast.ClassDef), False
        loops = isinstance(node, (ast.For, ast.AsyncFor, ast.While))
        for name in _BLOCKS.get(node.__class__, ()):
            inner = loop or (loops and name == "body")
            todo += [(part, function, inner) for part in _list(node, name)]
    for node in sorted(found, key=lambda node: node.lineno):
        row, text = node.lineno, lines[node.lineno - 1].encode()
        start, end = (len(text[:at].decode()) for at in (node.col_offset, node.end_col_offset))
        if node.end_lineno != row:
            end = len(lines[row - 1])
        yield SyntaxProblem(Position(row, start), Position(row, end), _MISPLACED[type(node)])


# Of each kind of node: its blocks. A lambda and a choice have an expression there.
_BLOCKS = {
    kind: tuple(
        name
        for name in ("body", "orelse", "finalbody", "handlers", "cases")
        if name in kind._fields
    )
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
_MISPLACED: dict[type[ast.stmt], str] = {
    ast.Return: "'return' outside function",
    ast.Break: "'break' outside loop",
    ast.Continue: "'continue' not properly in loop",
}


def _list(node: ast.AST, name: str) -> list[ast.AST]:
    """The statements of a block; nothing for the expression that a lambda or a choice has there."""
    found = getattr(node, name, None)
    return found if isinstance(found, list) else []


def token_count(text: str) -> int:
    """About how many names, numbers and signs a text has outside of comments.

    Not counted where it cannot be above the limit: there, the number of characters.
    """
    if len(text) <= MAX_TOKENS:
        return len(text)
    return sum(1 for _ in _TOKEN.finditer(_COMMENT.sub("", text)))


def _parse_lines(lines: list[str]) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse("\n".join(lines))


def _echo(row: int, touched: set[int]) -> bool:
    """A complaint directly below a repaired line is usually the same mistake."""
    return row in touched or row - 1 in touched or row - 2 in touched


def _repair(lines: list[str], error: SyntaxError, touched: set[int]) -> int | None:
    row = min(max(error.lineno or 1, 1), len(lines))
    header = _HEADER_ROW.search(error.msg or "")
    if header and "expected an indented block" in (error.msg or ""):
        row = int(header[1])
    while row > 1 and row in touched and not lines[row - 1].strip():
        row -= 1
    if not lines[row - 1].strip():
        if row in touched or row == 1:
            return None
        row -= 1
    _blank(lines, row, touched, drop=isinstance(error, IndentationError) and not header)
    return row


def _blank(lines: list[str], row: int, touched: set[int], drop: bool = False) -> None:
    """Keep the indentation with a `pass`, so that the block around it stays a block."""
    line = lines[row - 1]
    indent = line[: len(line) - len(line.lstrip())]
    lines[row - 1] = "" if drop or row in touched else f"{indent}pass"


def _problem(source: SourceText, error: SyntaxError) -> SyntaxProblem:
    row = min(max(error.lineno or 1, 1), len(source.lines))
    width = len(source.lines[row - 1])
    start = min(max((error.offset or 1) - 1, 0), width)
    end = start + 1
    if error.end_lineno == error.lineno and error.end_offset and error.end_offset - 1 > start:
        end = error.end_offset - 1
    message = (error.msg or "invalid syntax").removeprefix("(unicode error) ")
    return SyntaxProblem(Position(row, start), Position(row, min(end, max(width, start))), message)


def _too_deep(source: SourceText, row: int) -> SyntaxProblem:
    width = len(source.lines[row - 1])
    text = "this expression is nested too deeply to be parsed; split it into several statements"
    return SyntaxProblem(Position(row, 0), Position(row, width), text)


def _too_long(source: SourceText, count: int) -> SyntaxProblem:
    text = (
        f"this file has {count:,} names, numbers and signs; kernels in files of more than "
        f"{MAX_TOKENS:,} are not checked: move them to a file of their own"
    )
    end = Position(1, max(1, len(source.lines[0])))
    return SyntaxProblem(Position(1, 0), end, text, "budget-exceeded")
