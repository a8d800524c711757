"""What calls of factories gave, kept while their code and all values that they read are the same.

A key never holds positions: code is named by its digest, values by their content. An entry lists
the globals that the call read and what they were; it is used only where they are that again (D8).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tl_ascend.diagnostics.report import Finding, Report
from tl_ascend.frontend.values import (
    Builtin,
    ClassValue,
    Function,
    Instance,
    JitFactory,
    KernelRecord,
    Namespace,
    OpRef,
    PrimFunc,
    Unknown,
    small,
)
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.hashed import kernel_content
from tl_ascend.source.units import span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.machine import Machine
    from tl_ascend.frontend.modules import Module, Program

MAX_ENTRIES = 1024
MAX_STATEMENTS = 40_000  # of all kept kernels together; a statement takes about 1 KB
MAX_ITEMS = 4096
MAX_DEPTH = 8


class NotKept(Exception):
    """A value that has no content to compare by: the call is evaluated each time."""


class Imported(NamedTuple):
    """A module as an import names it."""

    name: str
    level: int


@dataclass(frozen=True, slots=True)
class Read:
    """A global that a call read, and the content it had. Of an import inside the call: what is
    imported (`Imported`), and the path found."""

    path: str
    name: str | Imported
    content: Any


@dataclass(frozen=True, slots=True)
class Entry:
    """What one call gave."""

    reads: tuple[Read, ...]
    records: tuple[KernelRecord, ...]
    result: int
    findings: tuple[Finding, ...]

    @property
    def weight(self) -> int:
        """Statements of the kernels."""
        return sum(r.statements for r in self.records)


class Memo:
    """Entries by call, several where the globals differ that were read. `evaluated`: misses."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Any, list[Entry]] = OrderedDict()
        self.evaluated = 0
        self.reused = 0
        self._weight = 0

    def find(self, program: Program, key: Any) -> Entry | None:
        """An entry whose reads hold now."""
        for entry in self._entries.get(key, ()):
            if all(_holds(program, read) for read in entry.reads):
                self._entries.move_to_end(key)
                self.reused += 1
                return entry
        return None

    def keep(self, key: Any, entry: Entry) -> None:
        entries = self._entries.setdefault(key, [])
        self._entries.move_to_end(key)
        entries.insert(0, entry)
        self._weight += entry.weight - sum(e.weight for e in entries[4:])
        del entries[4:]
        while len(self._entries) > MAX_ENTRIES or self._weight > MAX_STATEMENTS:
            _, dropped = self._entries.popitem(last=False)
            self._weight -= sum(e.weight for e in dropped)
            if not self._entries:
                self._weight = 0


def _holds(program: Program, read: Read) -> bool:
    if isinstance(read.name, Imported):
        return bool(content(program.imported(read.path, *read.name)) == read.content)
    module = program.modules.get(read.path)
    if module is None or read.name not in module.env.names:
        return False
    try:
        return bool(content(module.env.names[read.name]) == read.content)
    except NotKept:
        return False


_Noted = dict[tuple[str, "str | Imported"], Any]


class Reads:
    """Collects what the calls in progress read. Nested calls read for their callers, too."""

    def __init__(self) -> None:
        self._open: list[_Noted] = []

    def note(self, module: Module, name: str, value: Any) -> None:
        for reads in self._open:
            reads.setdefault((module.path, name), value)

    def note_import(self, module: Module, name: str, level: int, path: str) -> None:
        """An import inside a call, and where it led."""
        for reads in self._open:
            reads.setdefault((module.path, Imported(name, level)), path)

    @contextmanager
    def collect(self) -> Iterator[_Noted]:
        reads: _Noted = {}
        self._open.append(reads)
        try:
            yield reads
        finally:
            self._open.remove(reads)


def key_of(function: Function, arguments: tuple[tuple[str, Any], ...], origin: str) -> Any:
    """A call by content. Errors: NotKept."""
    if function.env.globals is None:
        raise NotKept
    bound = tuple((name, content(value)) for name, value in arguments)
    return span_of(function.node), bound, origin


def content(value: Any, depth: int = 0) -> Any:
    """A hashable form of a value, equal where the value means the same. Errors: NotKept."""
    if depth > MAX_DEPTH or (depth == 0 and not small(value)):
        raise NotKept
    if isinstance(value, (bool, int, float, str, type(None), Expr, range)):
        return type(value).__name__, value
    if isinstance(value, (list, tuple)):
        if len(value) > MAX_ITEMS:
            raise NotKept
        return type(value).__name__, tuple(content(v, depth + 1) for v in value)
    if isinstance(value, dict):
        return "dict", tuple((content(k), content(v, depth + 1)) for k, v in value.items())
    if isinstance(value, Unknown):
        return "unknown", value.cause
    return _of_object(value, depth)


def _of_object(value: Any, depth: int) -> Any:
    if isinstance(value, OpRef):
        return "op", value.row.name
    if isinstance(value, Function):
        if value.env.globals is None:
            raise NotKept
        return "function", span_of(value.node), value.kind, content(value.defaults, depth + 1)
    if isinstance(value, JitFactory):
        settings = content(dict(value.settings), depth + 1)
        return "jit", content(value.function, depth + 1), settings
    if isinstance(value, Builtin) and value.known:
        return "builtin", value.name
    if isinstance(value, Namespace):
        return _of_namespace(value, depth)
    if isinstance(value, Instance):
        return "object", value.cls.name, content(value.attributes, depth + 1)
    if isinstance(value, ClassValue):
        plain = {k: v for k, v in value.attributes.items() if not isinstance(v, Function)}
        return "class", span_of(value.node), content(plain, depth + 1)
    raise NotKept


def _of_namespace(value: Namespace, depth: int) -> Any:
    env = value.attributes.get("__env__")
    if env is not None:
        return "module", env.globals.path
    if value.fallback is not None:
        return "library", value.name
    return "namespace", value.name, content(value.attributes, depth + 1)


def remembered(m: Machine, key: Any, entry: Entry) -> PrimFunc:
    """The effect of a kept call: its kernels and findings again."""
    copies = [fresh(r) for r in entry.records]
    m.program.records.extend(copies)
    for finding in entry.findings:
        if finding not in m.report.findings:
            m.report.findings.append(finding)
    return PrimFunc(copies[entry.result])


def fresh(record: KernelRecord) -> KernelRecord:
    """A record that may be configured without touching the one that is kept."""
    return replace(record, report=Report(list(record.report.findings)))


def entry_of(
    m: Machine,
    reads: _Noted,
    records: list[KernelRecord],
    value: Any,
    findings: list[Finding],
) -> Entry:
    """What a call gave, ready to be kept. Errors: NotKept."""
    if not isinstance(value, PrimFunc) or value.record not in records:
        raise NotKept
    noted = tuple(Read(path, name, content(v)) for (path, name), v in reads.items())
    for record in records:
        if record.content is None and record.kernel is not None:
            record.content = kernel_content(record.kernel)
    kept = tuple(fresh(r) for r in records)
    return Entry(noted, kept, records.index(value.record), tuple(findings))
