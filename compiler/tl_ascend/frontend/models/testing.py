"""pytest and multiprocessing as kernel files use them: parameters, fixtures, targets, failures."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.values import Builtin, Function, Namespace, Unknown
from tl_ascend.source.units import span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program


def install(program: Program) -> None:
    """`import pytest`, `import multiprocessing`."""
    program.externals["pytest"] = _pytest
    program.externals["multiprocessing"] = _processes
    program.externals["torch.multiprocessing"] = _processes


def _pytest() -> Namespace:
    raises = Builtin("raises", lambda m, node, args, kwargs: Namespace("pytest.raises", {}))
    mark = Namespace("pytest.mark", {"parametrize": Builtin("parametrize", _parametrize)}, _mark)
    attributes = {
        "raises": raises,
        "mark": mark,
        "fixture": Builtin("fixture", _fixture),
        "param": Builtin(
            "param", lambda m, node, args, kwargs: args[0] if len(args) == 1 else tuple(args)
        ),
        "skip": Builtin("skip", lambda m, node, args, kwargs: None),
    }
    return Namespace("pytest", attributes, lambda name: Unknown(f"pytest.{name} is not evaluated"))


def _mark(name: str) -> Any:
    """`@pytest.mark.name` and `@pytest.mark.name(...)` leave a test what it is."""

    def apply(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if len(args) == 1 and isinstance(args[0], Function):
            return args[0]
        return Builtin(name, lambda m, at, inner, _: inner[0] if inner else None)

    return Builtin(name, apply)


def _parametrize(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    names = args[0] if args else kwargs.get("argnames")
    values = args[1] if len(args) > 1 else kwargs.get("argvalues")

    def decorate(m: Machine, at: ast.AST, functions: list[Any], _: dict[str, Any]) -> Any:
        function = functions[0] if functions else None
        if isinstance(function, Function):
            add_parameters(function, names, values)
        return function

    return Builtin("parametrize", decorate)


def add_parameters(function: Function, names: Any, values: Any) -> None:
    """Remember the rows of one parametrize decorator on its test."""
    if isinstance(names, str):
        names = [n.strip() for n in names.split(",")]
    if not isinstance(names, (list, tuple)) or not isinstance(values, (list, tuple, range)):
        return
    rows = []
    for value in values:
        row = value if len(names) > 1 else (value,)
        if isinstance(row, (list, tuple)) and len(row) == len(names):
            rows.append(dict(zip(names, row, strict=True)))
    function.parameters = (*function.parameters, tuple(rows))


def _fixture(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    def decorate(m: Machine, at: ast.AST, functions: list[Any], _: dict[str, Any]) -> Any:
        function = functions[0] if functions else None
        if isinstance(function, Function):
            function.decorated = (*function.decorated, "fixture")
            params = kwargs.get("params")
            if isinstance(params, (list, tuple)):
                function.parameters = (tuple({"request": p} for p in params),)
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
    from tl_ascend.frontend.calls import call_function

    if isinstance(target, Function) and isinstance(given, (list, tuple)):
        call_function(m, node, target, list(given), dict(named))
