"""Completion of the names behind `T.`, from the text alone: no analysis, no valid text needed."""

from __future__ import annotations

import re
from functools import lru_cache

from tl_ascend.ide.model import Completion
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import TABLE, names
from tl_ascend.source.span import Position
from tl_ascend.source.text import SourceText
from tl_ascend.target import dtypes

LANGUAGE = "tilelang.language"
_OPAQUE = re.compile(
    r"""
    (?P<comment> \#[^\r\n]* )
    | \"\"\" [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* (?P<triple> \"\"\" )?
    | ''' [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* (?P<single_triple> ''' )?
    | " [^"\\\r\n]* (?: \\. [^"\\\r\n]* )* (?P<double> " )?
    | ' [^'\\\r\n]* (?: \\. [^'\\\r\n]* )* (?P<single> ' )?
    """,
    re.VERBOSE | re.DOTALL,
)
_CHAIN = re.compile(r"(?<![\w.)\]}'\"])([^\W\d]\w*(?:[ \t]*\.[ \t]*\w+)*)[ \t]*\.[ \t]*\w*\Z")
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\r\n#;]+)", re.M)
_FROM = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)?|[^\r\n#;]*)", re.M)
_ITEM = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?\s*\Z")


def complete(text: str, position: Position) -> tuple[Completion, ...]:
    """What may follow the dot before the cursor; nothing in comments and strings."""
    source = SourceText("", text)
    offset = source.offset(position)
    row = min(position.row, len(source.lines))
    line = source.lines[row - 1][: position.column] if row == position.row else ""
    chain = _CHAIN.search(line)
    if chain is None:
        return ()
    opaque = _opaque_ranges(text)
    if any(start < offset < end for start, end in opaque):
        return ()
    module = _resolve(re.sub(r"\s", "", chain[1]), text, opaque)
    if module == LANGUAGE:
        return _members("")
    if module.startswith(f"{LANGUAGE}."):
        return _members(module.removeprefix(f"{LANGUAGE}.") + ".")
    return ()


def _opaque_ranges(text: str) -> list[tuple[int, int]]:
    """Comments and strings; the end of one that is open counts as inside."""
    found = []
    for match in _OPAQUE.finditer(text):
        closed = match.lastgroup not in (None, "comment")
        found.append((match.start(), match.end() if closed else match.end() + 1))
    return found


def _resolve(chain: str, text: str, opaque: list[tuple[int, int]]) -> str:
    """The dotted name that a chain of attributes means, by the imports of the file."""
    head, dot, rest = chain.partition(".")
    bound = _imports(text, opaque)
    if head not in bound and head == "T" and "tilelang" in text:
        return f"{LANGUAGE}{dot}{rest}"
    return f"{bound.get(head, head)}{dot}{rest}"


def _imports(text: str, opaque: list[tuple[int, int]]) -> dict[str, str]:
    """What each imported name means; the last import of a name counts."""
    found: list[tuple[int, str, str]] = []
    for match in _IMPORT.finditer(text):
        for name, alias in _items(match[1]):
            whole = name if alias else name.partition(".")[0]
            found.append((match.start(), alias or whole, whole))
    for match in _FROM.finditer(text):
        for name, alias in _items(match[2]):
            found.append((match.start(), alias or name, f"{match[1]}.{name}"))
    hidden = {start for start, _, _ in found if any(a < start < b for a, b in opaque)}
    return {name: whole for start, name, whole in sorted(found) if start not in hidden}


def _items(text: str) -> list[tuple[str, str]]:
    """The parts of an import list as name and alias."""
    parts = re.sub(r"#[^\r\n]*", "", text).strip("() \t\r\n\\").split(",")
    matches = (_ITEM.match(part.strip()) for part in parts)
    return [(match[1], match[2] or "") for match in matches if match is not None]


@lru_cache
def _members(prefix: str) -> tuple[Completion, ...]:
    return tuple(_completion(name, TABLE.get(prefix + name)) for name in names(prefix))


def _completion(name: str, row: Op | None) -> Completion:
    if row is None:
        return Completion(name, "module", f"T.{name}", "Operations on tiles.")
    kind = "class" if row.kind == "type" else "value" if row.name in dtypes.BY_NAME else "function"
    parts = (
        row.doc,
        row.deprecated and f"**Deprecated:** {row.deprecated}",
        row.status and f"**Not usable:** {row.status}",
    )
    return Completion(name, kind, row.signature, "\n\n".join(part for part in parts if part))
