"""Which code of a file may lead to a kernel, by names alone. Everything else is host code that is
not worth many steps: reference implementations with nested loops cost minutes otherwise."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from tl_ascend.source.span import Home
from tl_ascend.source.units import FileUnits, children, preorder, span_of

T = TypeVar("T")

_KERNEL_MARKS = ("prim_func", "jit")
# Names by which host code hands kernels on.
_DOORS = frozenset({"compile", "prim_func", "jit", "autotune", "parse_args", "add_argument"})


# By these, code may bind any name of its module.
_DYNAMIC = frozenset(
    {"globals", "locals", "vars", "exec", "eval", "setattr", "__dict__", "modules"}
)

MAX_KNOWN = 20_000

_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


def by_code(function: Callable[[ast.AST], T]) -> Callable[[ast.AST], T]:
    """Remembers what a function of code alone gives, across versions of a file."""
    known: dict[tuple[str, int], T] = {}

    @wraps(function)
    def remembered(node: ast.AST) -> T:
        home: Home | None = getattr(node, "tl_home", None)
        if home is None:
            return function(node)
        key = home.digest, span_of(node).node
        found = known.get(key)
        if found is None:
            if len(known) >= MAX_KNOWN:
                known.clear()
            found = known[key] = function(node)
        return found

    return remembered


class _Read:
    """What code says. `mentions`: names and attributes; `kernel`: a `prim_func` is defined inside;
    `inner`: functions and classes defined directly inside, `imports` outside of these."""

    __slots__ = ("imports", "inner", "kernel", "mentions")

    def __init__(self, node: ast.AST) -> None:
        self.kernel = False
        self.mentions: set[str] = set()
        self.inner: list[ast.FunctionDef | ast.ClassDef] = []
        self.imports: list[ast.Import | ast.ImportFrom] = []
        stack = [node]
        while stack:
            item: Any = stack.pop()
            kind = item.__class__
            if kind is ast.Name:
                self.mentions.add(item.id)
                continue
            if kind is ast.Attribute:
                self.mentions.add(item.attr)
            elif kind in _DEFINITIONS and item is not node:
                self._take(item)
                continue
            elif kind in _IMPORTS:
                self.imports.append(item)
            stack += children(item)

    def _take(self, inner: ast.FunctionDef | ast.ClassDef) -> None:
        read = _read(inner)
        self.inner.append(inner)
        self.mentions |= read.mentions
        marked = isinstance(inner, ast.FunctionDef) and _marked(inner, "prim_func")
        self.kernel = self.kernel or read.kernel or marked


_read = by_code(_Read)


def contains_kernel(node: ast.AST) -> bool:
    """True where a `prim_func` is defined inside this function."""
    return _read(node).kernel


def mentioned(node: ast.AST) -> set[str]:
    """Names and attributes that code mentions."""
    return _read(node).mentions


def _marked(node: ast.FunctionDef, mark: str) -> bool:
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if name == mark:
            return True
    return False


class Names:
    """Names of one file: what it binds anywhere, and which of them lead to kernels."""

    def __init__(self, file: FileUnits) -> None:
        self._file = file
        self._leading: frozenset[str] | None = None
        self._bound: set[str] | None = None

    def binds(self, name: str) -> bool:
        """True where any code of the file binds the name, or a star import might."""
        if self._bound is None:
            self._bound = set()
            for unit in self._file.units:
                self._bound |= bound_in(unit.tree)
            if self._file.problems:  # a broken line may have bound anything
                self._bound.add("*")
        return name in self._bound or "*" in self._bound

    @property
    def dynamic(self) -> bool:
        """True where code may bind names that it does not spell."""
        return any(not _DYNAMIC.isdisjoint(mentioned(unit.tree)) for unit in self._file.units)

    def reaches(self, node: ast.AST) -> bool:
        """True where code mentions a name that leads to a kernel."""
        return contains_kernel(node) or not self.leading.isdisjoint(mentioned(node))

    @property
    def leading(self) -> frozenset[str]:
        if self._leading is None:
            self._leading = frozenset(self._closure())
        return self._leading

    def _closure(self) -> set[str]:
        uses: dict[str, set[str]] = {}
        leading = set(_DOORS)
        for unit in self._file.units:
            facts = _facts(unit.tree)
            leading |= facts.leading
            for name, mentions in facts.uses.items():
                uses.setdefault(name, set()).update(mentions)
        changed = True
        while changed:
            more = {n for n, m in uses.items() if n not in leading and not leading.isdisjoint(m)}
            leading |= more
            changed = bool(more)
        return leading


class _Facts:
    """What one top-level statement says: names that lead to kernels, and who mentions whom."""

    __slots__ = ("leading", "uses")

    def __init__(self, tree: ast.AST) -> None:
        self.leading: set[str] = set()
        self.uses: dict[str, set[str]] = {}
        stack = [tree]
        while stack:
            node = stack.pop()
            read = _read(node)
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.uses.setdefault(node.name, set()).update(read.mentions)
                if read.kernel:
                    self.leading.add(node.name)
            for statement in read.imports:
                self._import(statement)
            stack += read.inner
        if isinstance(tree, ast.Assign):
            for target in tree.targets:
                if isinstance(target, ast.Name):
                    self.uses.setdefault(target.id, set()).update(mentioned(tree.value))

    def _import(self, statement: ast.Import | ast.ImportFrom) -> None:
        if isinstance(statement, ast.Import):
            found = [a for a in statement.names if _may_hold_kernels(a.name)]
            self.leading.update(a.asname or a.name.split(".")[0] for a in found)
        elif statement.level > 0 or _may_hold_kernels(statement.module or ""):
            self.leading.update(a.asname or a.name for a in statement.names)


_facts = by_code(_Facts)


_OUTSIDE = sys.stdlib_module_names | frozenset(
    "torch torch_npu numpy tilelang pytest tvm einops pandas scipy matplotlib tqdm yaml "
    "transformers triton acl".split()
)


def _may_hold_kernels(module: str) -> bool:
    return module.split(".")[0] not in _OUTSIDE


@by_code
def bound_in(tree: ast.AST) -> set[str]:
    """Names that code binds anywhere."""
    found: set[str] = set()
    for inner in preorder(tree):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            found.add(inner.id)
        elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(inner.name)
        elif isinstance(inner, ast.arg):
            found.add(inner.arg)
        elif isinstance(inner, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and inner.name:
            found.add(inner.name)
        elif isinstance(inner, ast.MatchMapping) and inner.rest:
            found.add(inner.rest)
        elif isinstance(inner, (ast.Global, ast.Nonlocal)):
            found.update(inner.names)
        elif isinstance(inner, (ast.Import, ast.ImportFrom)):
            found.update((a.asname or a.name).split(".")[0] for a in inner.names)
    return found
