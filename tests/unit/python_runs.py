"""One program in CPython and in our evaluator, and how the two differ."""

from __future__ import annotations

import enum
import sys
import types
import warnings
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.diagnostics.report import Report
from tl_ascend.frontend.changes import is_many
from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.modules import NoFiles, Program
from tl_ascend.frontend.values import (
    BoundMethod,
    Builtin,
    ClassValue,
    EnumMember,
    Function,
    Instance,
    NamedTuple,
    Unknown,
)
from tl_ascend.source.budget import Budget
from tl_ascend.source.span import Span
from tl_ascend.source.text import SourceText
from tl_ascend.source.units import cut, span_of

PATH = "/case/program.py"
MAX_LINES = 20_000
ANY = "?"
NAME = "__case__"


class TooLong(BaseException):
    """A generated program that would run for long says nothing."""


@dataclass
class Run:
    """What a program emitted, and the exception or the finding that ended it."""

    emitted: list[tuple[int, Any]] = field(default_factory=list)
    error: str = ""
    lines: tuple[int, ...] = ()
    message: str = ""
    causes: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)


# --- CPython -------------------------------------------------------------------------------------


class _Anything:
    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self


class _Language(types.ModuleType):
    Tensor = _Anything()

    @staticmethod
    def prim_func(function: Any) -> Any:
        return function


def in_python(text: str) -> Run:
    """Errors: TooLong."""
    run = Run()
    count = 0

    def emit(*values: Any) -> None:
        line = sys._getframe(1).f_lineno
        run.emitted += [(line, plain(v)) for v in values]

    def tracer(frame: Any, event: str, arg: Any) -> Any:
        nonlocal count
        count += 1
        if count > MAX_LINES:
            raise TooLong
        return tracer if frame.f_code.co_filename == PATH else None

    module = types.ModuleType(NAME)
    names = vars(module)
    names.update(emit=emit, opaque=lambda value: value, print=lambda *a, **k: None)
    package = types.ModuleType("tilelang")
    language = _Language("tilelang.language")
    package.language = language  # type: ignore[attr-defined]
    ours = {"tilelang": package, "tilelang.language": language, module.__name__: module}
    saved = {name: sys.modules.get(name) for name in ours}
    sys.modules.update(ours)
    tracing = sys.gettrace()
    sys.settrace(tracer)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            exec(compile(text, PATH, "exec"), names)
    except Exception as error:
        run.error, run.message = type(error).__name__, str(error)
        run.lines = tuple(_rows(error))
    finally:
        sys.settrace(tracing)
        for name, value in saved.items():
            if value is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = value
    return run


def _rows(error: BaseException) -> list[int]:
    trace, found = error.__traceback__, []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == PATH:
            found.append(trace.tb_lineno)
        trace = trace.tb_next
    return found


# --- ours ----------------------------------------------------------------------------------------


def in_ours(text: str) -> Run:
    """The same program evaluated. Its exceptions are bugs of ours."""
    run = Run()
    report = Report()
    program = Program(NoFiles(), Budget(2_000_000, 60.0), report)
    file = cut(SourceText(PATH, text))

    def row(span: Span) -> int:
        found = file.range_of(span)
        return found.start.row if found is not None else 0

    def emit(m: Machine, node: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if not m.report.findings:
            run.emitted += [(row(span_of(node)), plain(a, run.causes)) for a in args]

    def opaque(m: Machine, node: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return Unknown("opaque")

    program.builtins["emit"] = Builtin("emit", emit, True)
    program.builtins["opaque"] = Builtin("opaque", opaque, True)
    program.run(file)
    for finding in report.findings:
        rows = tuple(row(s) for s in (finding.span, *(r.span for r in finding.related)))
        if finding.name == "python-error" and not run.error:
            run.message, run.lines = finding.message, rows
            run.error = finding.message.split(":", 1)[0]
        elif finding.name != "python-error":
            run.other.append(f"{finding.name}: {finding.message} {rows}")
    return run


# --- values --------------------------------------------------------------------------------------


def plain(value: Any, causes: list[str] | None = None) -> Any:
    """A value of either world as something that can be compared and does not change any more."""
    if isinstance(value, Unknown) or is_many(value):
        if causes is not None:
            causes.append(getattr(value, "cause", "a container that may have changed"))
        return ANY

    def go(item: Any) -> Any:
        return plain(item, causes)

    named = _named(value)
    if named is not None:
        return "object", named[0], [(name, go(v)) for name, v in named[1].items()]
    if _is_function(value) or isinstance(value, (ClassValue, type)):
        return "function or class"
    if isinstance(value, BaseException):
        return type(value).__name__, [go(a) for a in value.args]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [go(v) for v in value]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted(map(go, value), key=repr)
    if isinstance(value, dict):
        return type(value).__name__, [(go(k), go(v)) for k, v in value.items()]
    return type(value).__name__, repr(value)


def _named(value: Any) -> tuple[str, dict[str, Any]] | None:
    """Name of the class and attributes of an object of the program."""
    if isinstance(value, EnumMember):
        return value.cls.name, {"name": value.name, "value": value.value}
    if isinstance(value, Instance):
        return value.cls.name, value.attributes
    if isinstance(value, NamedTuple):
        return value.cls.name, dict(zip(value.fields, value, strict=True))
    if type(value).__module__ != NAME:
        return None
    kind = type(value).__name__
    if isinstance(value, enum.Enum):
        return kind, {"name": value.name, "value": value.value}
    return kind, value._asdict() if isinstance(value, tuple) else vars(value)


def _is_function(value: Any) -> bool:
    if isinstance(value, (Builtin, Function, BoundMethod)):
        return True
    return callable(value) and not isinstance(value, type) and type(value).__module__ != NAME


def agrees(ours: Any, theirs: Any) -> bool:
    """True where all that we know is what Python says."""
    if ours == ANY:
        return True
    if isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        if len(ours) != len(theirs):
            return False
        return all(map(agrees, ours, theirs))
    return bool(ours == theirs)


def knows(value: Any) -> bool:
    """True where nothing in a value is unknown."""
    if isinstance(value, (list, tuple)):
        return all(map(knows, value))
    return bool(value != ANY)


def differences(ours: Run, theirs: Run) -> list[str]:
    """Where the two disagree. What we do not know is no disagreement."""
    found = list(ours.other)
    for mine, right in zip(ours.emitted, theirs.emitted, strict=False):
        if mine[0] != right[0]:
            return [*found, f"emits at {mine[0]} where Python is at {right[0]}"]
        if not agrees(mine[1], right[1]):
            return [*found, f"line {mine[0]}: {mine[1]} where Python has {right[1]}"]
    count, right_count = len(ours.emitted), len(theirs.emitted)
    if ours.error:
        if (ours.error, count) != (theirs.error, right_count):
            found.append(
                f"tells {ours.message!r} at {ours.lines} after {count} values; Python: "
                f"{theirs.error} {theirs.message!r} at {theirs.lines} after {right_count}"
            )
        elif not set(ours.lines) & set(theirs.lines):
            found.append(f"tells {ours.message!r} at {ours.lines}, not at {theirs.lines}")
    elif theirs.error and count > right_count and knows(ours.emitted[right_count][1]):
        found.append(
            f"goes on with {ours.emitted[right_count]} where Python raises {theirs.error} "
            f"{theirs.message!r} at {theirs.lines}"
        )
    elif count < right_count:
        found.append(f"stops without a word after {count} of {right_count} values")
    return found


def contradictions(ours: Run, theirs: Run) -> list[str]:
    """Where the two disagree although contents are hidden from us: which branches run is then not
    known, and only lines count that both reach exactly once."""
    # On both sides of an unknown condition a recursion has no end.
    found = [text for text in ours.other if not text.startswith("budget-exceeded")]
    # What is unknown is taken not to raise; where it did, what follows is no contradiction.
    elsewhere = theirs.error and ours.error and ours.lines[0] not in theirs.lines
    if ours.error != theirs.error and ours.error and not elsewhere:
        found.append(
            f"tells {ours.message!r} at {ours.lines}; "
            f"Python: {theirs.error} {theirs.message!r} at {theirs.lines}"
        )
    mine, right = _once(ours), _once(theirs)
    for line in sorted(mine.keys() & right.keys()):
        if not agrees(mine[line], right[line]):
            found.append(f"line {line}: {mine[line]} where Python has {right[line]}")
    return found


def _once(run: Run) -> dict[int, Any]:
    values: dict[int, list[Any]] = {}
    for line, value in run.emitted:
        values.setdefault(line, []).append(value)
    return {line: found[0] for line, found in values.items() if len(found) == 1}


def wholly_known(ours: Run, theirs: Run) -> bool:
    """True where we know each value and find the error where Python raises one."""
    return ours.error == theirs.error and all(knows(v) for _, v in ours.emitted)
