"""pytest, unittest and multiprocessing as kernel files use them: parameters, fixtures, marks,
targets, failures."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.machine import Machine, Skipped
from tl_ascend.frontend.models.outcomes import leaving, library
from tl_ascend.frontend.values import (
    BoundMethod,
    Builtin,
    ClassValue,
    Function,
    JitFactory,
    Namespace,
    Unknown,
)
from tl_ascend.source.units import span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program


def install(program: Program) -> None:
    """`import pytest`, `import unittest`, `import multiprocessing`."""
    program.externals["pytest"] = _pytest
    program.externals["unittest"] = _unittest
    program.externals["multiprocessing"] = _processes
    program.externals["torch.multiprocessing"] = _processes
    program.externals["threading"] = lambda: library(
        "threading", {"Thread": Builtin("Thread", _process)}
    )


def _pytest() -> Namespace:
    raises = Builtin("raises", lambda m, node, args, kwargs: Namespace("pytest.raises", {}))
    mark = Namespace("pytest.mark", {"parametrize": Builtin("parametrize", _parametrize)}, _mark)
    attributes = {
        "raises": raises,
        "mark": mark,
        "fixture": Builtin("fixture", _fixture),
        "param": Builtin("param", _param),
    }
    attributes.update({n: leaving(n, Skipped) for n in ("skip", "xfail", "fail", "exit")})
    return library("pytest", attributes)


@dataclass(frozen=True, slots=True)
class Row:
    """`pytest.param(*values, marks=...)`."""

    values: tuple[Any, ...]
    marks: tuple[str, ...]


def _param(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Row(tuple(args), marks_of(kwargs.get("marks")))


@dataclass(eq=False, slots=True)
class Mark(Builtin):
    """`pytest.mark.name(...)`. `effect` on a test: skip, xfail, perhaps (it may fail), the
    fixtures that it uses, or none."""

    effect: str = ""


def _mark(name: str) -> Any:
    """`@pytest.mark.name` and `@pytest.mark.name(...)` leave a test callable as it is."""

    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if len(args) == 1 and isinstance(args[0], (Function, ClassValue)) and not kwargs:
            return _marked(args[0], _effect(name, [], {}))
        return mark_of(_effect(name, args, kwargs))

    return Mark(name, apply, effect=_effect(name, [], {}))


def mark_of(effect: str) -> Mark:
    """A decorator with an effect on a test or on all tests of a class."""
    return Mark("mark", lambda m, at, inner, _: _marked(inner[0], effect), effect=effect)


def _marked(value: Any, effect: str) -> Any:
    if effect and isinstance(value, Function):
        value.decorated = (*value.decorated, effect)
    elif effect and isinstance(value, ClassValue):
        value.marks = (*value.marks, effect)
    return value


def _effect(name: str, args: list[Any], kwargs: dict[str, Any]) -> str:
    if name == "skip":
        return "skip"
    if name == "usefixtures":
        return " ".join([USES, *(a for a in args if isinstance(a, str))])
    conditions = [*args, *(v for k, v in kwargs.items() if k == "condition")]
    if name == "skipif":
        return "skip" if any(c is True for c in conditions) else ""
    if name != "xfail":
        return ""
    if not conditions or any(c is True for c in conditions):
        return "xfail"
    return "" if all(c is False for c in conditions) else "perhaps"


def marks_of(value: Any) -> tuple[str, ...]:
    """Effects of a mark or of several, as in `pytestmark`."""
    marks = value if isinstance(value, (list, tuple)) else [value]
    found = (m.effect if isinstance(m, Mark) else _unclear(m) for m in marks)
    return tuple(effect for effect in found if effect)


def _unclear(value: Any) -> str:
    return "perhaps" if isinstance(value, Unknown) else ""


def _unittest() -> Namespace:
    def when(expected: bool) -> Builtin:
        def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
            return mark_of("skip" if args[:1] == [expected] else "")

        return Builtin("skip", apply)

    return library(
        "unittest",
        {
            "expectedFailure": mark_of("xfail"),
            "skip": Builtin("skip", lambda m, node, args, kwargs: mark_of("skip")),
            "skipIf": when(True),
            "skipUnless": when(False),
        },
    )


def _parametrize(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    names = args[0] if args else kwargs.get("argnames")
    values = args[1] if len(args) > 1 else kwargs.get("argvalues")

    def decorate(m: Machine, at: ast.AST, functions: list[Any], _: dict[str, Any]) -> Any:
        function = functions[0] if functions else None
        if isinstance(function, Function):
            add_parameters(function, names, values, kwargs.get("indirect", False))
        return function

    return Builtin("parametrize", decorate)


USES = "uses"  # before the names of fixtures
MARKS = "its marks"  # beside the parameters of a row


def of_fixture(name: str) -> str:
    """Where a row has the parameter of a fixture."""
    return f"parameter of {name}"


def add_parameters(function: Function, names: Any, values: Any, indirect: Any = False) -> None:
    """Remember the rows of one parametrize decorator on its test."""
    if isinstance(names, str):
        names = [n.strip() for n in names.split(",")]
    if not isinstance(names, (list, tuple)) or not isinstance(values, (list, tuple, range)):
        return
    through = names if indirect is True else indirect if isinstance(indirect, (list, tuple)) else ()
    keys = [of_fixture(n) if n in through else n for n in names]
    rows = []
    for value in values:
        marks = value.marks if isinstance(value, Row) else ()
        row = value.values if isinstance(value, Row) else value if len(names) > 1 else (value,)
        if isinstance(row, (list, tuple)) and len(row) == len(names):
            rows.append({**dict(zip(keys, row, strict=True)), MARKS: marks})
    function.parameters = (*function.parameters, tuple(rows))


def _fixture(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    def decorate(m: Machine, at: ast.AST, functions: list[Any], _: dict[str, Any]) -> Any:
        function = functions[0] if functions else None
        if isinstance(function, Function):
            always = ("autouse",) if kwargs.get("autouse") is True else ()
            function.decorated = (*function.decorated, "fixture", *always)
            add_parameters(function, [of_fixture(function.name)], kwargs.get("params"))
        return function

    return decorate(m, node, args, {}) if args else Builtin("fixture", decorate)


def _processes() -> Namespace:
    attributes = {
        "Process": Builtin("Process", _process),
        "set_start_method": Builtin("set_start_method", lambda m, node, args, kwargs: None),
        "spawn": Builtin("spawn", _spawn),
    }
    attributes["get_context"] = Builtin(
        "get_context", lambda m, node, args, kwargs: Namespace("context", dict(attributes), _opaque)
    )
    return Namespace("multiprocessing", attributes, _opaque)


def _opaque(name: str) -> Any:
    return Unknown(f"multiprocessing.{name} is not evaluated")


def _process(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    target, given = kwargs.get("target"), kwargs.get("args", ())
    named = kwargs.get("kwargs", {})
    _run(m, node, target, given, named if isinstance(named, dict) else {})
    done = Builtin("done", lambda m, at, a, k: None)
    return Namespace("a process", {"start": done, "join": done, "exitcode": 0}, _opaque)


def _spawn(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    target = args[0] if args else kwargs.get("fn")
    given = kwargs.get("args", args[1] if len(args) > 1 else ())
    rank = Unknown("the rank of a process", span_of(node))
    _run(m, node, target, (rank, *given) if isinstance(given, (list, tuple)) else (rank,), {})
    return None


def _run(m: Machine, node: ast.AST, target: Any, given: Any, named: dict[str, Any]) -> None:
    from tl_ascend.frontend.calls import invoke

    if isinstance(target, (Function, JitFactory, BoundMethod)) and isinstance(given, (list, tuple)):
        invoke(m, node, target, list(given), dict(named))
