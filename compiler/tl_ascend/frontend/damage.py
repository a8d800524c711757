"""What of a file cannot be known while a part of its text does not parse.

A unit of which text is left out is damaged, and so is what uses a name that such text binds or
changes. Its kernels have hints; nothing is told of them, and nothing of what they are used in.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from tl_ascend.frontend.reach import bound_in, by_code
from tl_ascend.source.span import Home
from tl_ascend.source.units import FileUnits, Unit, preorder

_WORD = re.compile(r"[^\W\d]\w*")
# In text that does not parse: what it defines, imports and assigns.
_BOUND = re.compile(
    r"\b(?:def|class|as|for|global|import)\s+([^\W\d]\w*)|,\s*([^\W\d]\w*)\s*(?=,|\)|$)"
    r"|([^\W\d]\w*)\s*(?=[-+*/%@&|^]?=(?!=)|,|:)|^\s*([^\W\d]\w*)\s*(?=[.\[])"
)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Damage:
    """What is lost of a file: its units (`lost`), the names that they bind or change (`names`), and
    what their text speaks of (`said`)."""

    def __init__(self, file: FileUnits) -> None:
        self._file = file
        self.lost: set[Home] = set()
        self.names: set[str] = set()
        self.said: set[str] = set()
        self._imported: set[str] = set()
        if file.problems:
            self._of_text()

    def _of_text(self) -> None:
        file = self._file
        self._imported = {name for unit in file.units for name in _use(unit.tree).imports}
        found = damaged(file) if file.complete else file.units
        for row in file.cut:
            line = file.source.lines[row - 1].partition("#")[0]
            self.said.update(_WORD.findall(line))
            bound = {name for names in _BOUND.findall(line) for name in names if name}
            self.names |= bound if "import" in line else bound - self._imported
        for unit in found:
            self.said |= _use(unit.tree).said
        self.lose(found)

    def lose(self, units: Iterable[Unit]) -> None:
        """Take units as damaged, and what uses them."""
        new = [unit for unit in units if unit.home not in self.lost]
        while True:
            for unit in new:
                use = _use(unit.tree)
                self.lost.add(unit.home)
                self.names |= use.binds | (use.changes - self._imported)
            left = (unit for unit in self._file.units if unit.home not in self.lost)
            new = [unit for unit in left if not self.names.isdisjoint(_use(unit.tree).free)]
            if not new:
                return

    def lose_home(self, home: Home) -> None:
        """The same of the unit in which something stands."""
        unit = self._file.by_home.get(home)
        if unit is not None:
            self.lose([unit])


def damaged(file: FileUnits) -> list[Unit]:
    """The units whose own text is not whole."""
    found: dict[Home, Unit] = {}
    ends = [file.rows[u.home] + _length(u) for u in file.units]
    for row in file.cut | file.loose:
        above = [n for n, unit in enumerate(file.units) if file.rows[unit.home] <= row]
        at = above[-1] if above else -1
        inside = at >= 0 and row <= ends[at]
        text = file.source.lines[row - 1]
        if at >= 0 and (inside or text[:1].isspace()):
            found.update((u.home, u) for u in _upwards(file, at, row in file.loose))
        below = file.units[at + 1 : at + 2]
        begins = not text[:1].isspace() or text.lstrip().startswith("@")
        if begins and below and file.rows[below[0].home] == row + 1:
            found[below[0].home] = below[0]  # its decorator, or what it begins with
    return list(found.values())


def _upwards(file: FileUnits, at: int, loose: bool) -> Iterable[Unit]:
    """The unit that is damaged; and the definition above that it may be of, where text hangs loose, or
    where a line that is cut stands directly below."""
    unit = file.units[at]
    yield unit
    hangs = loose or file.rows[unit.home] in file.cut
    while hangs and at > 0:
        above = file.units[at - 1]
        apart = file.rows[unit.home] - file.rows[above.home] - _length(above) > 1
        if apart and (not loose or isinstance(unit.tree, _DEFINITIONS)):
            return
        if isinstance(above.tree, _DEFINITIONS):
            yield above
        at, unit = at - 1, above


def _length(unit: Unit) -> int:
    """Rows below the first."""
    return (unit.tree.end_lineno or unit.first_row) - unit.first_row


class _Use:
    """Names of a unit: `said` anywhere, read as names of the module (`free`), bound for it (`binds`, of
    these `imports`), of values that may be changed in place (`changes`)."""

    __slots__ = ("binds", "changes", "free", "imports", "said")

    def __init__(self, tree: ast.AST) -> None:
        inner = bound_in(tree)
        own = inner if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef)) else set()
        self.binds = {tree.name} if isinstance(tree, _DEFINITIONS) else set(inner)
        self.said, self.free = set(inner), set[str]()
        self.imports, self.changes = set[str](), set[str]()
        for node in preorder(tree):
            self._take(node)
        self.free -= own
        self.changes -= own | {""}

    def _take(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            self.said.add(node.id)
            self.free.add(node.id)
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            if isinstance(node, ast.Attribute):
                self.said.add(node.attr)
            if not isinstance(node.ctx, ast.Load):
                self.changes.add(_root(node))
        elif isinstance(node, ast.Global):
            self.binds.update(node.names)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self.imports.update((a.asname or a.name).split(".")[0] for a in node.names)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self.changes.update(_handed(node.value))


_use = by_code(_Use)


def _handed(call: ast.Call) -> Iterable[str]:
    """What a call whose result nobody takes may change: its object and its arguments."""
    if isinstance(call.func, ast.Attribute):
        yield _root(call.func)
    values = (*call.args, *(keyword.value for keyword in call.keywords))
    yield from (value.id for value in values if isinstance(value, ast.Name))


def _root(node: ast.expr) -> str:
    """The name that an attribute or an item belongs to."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
