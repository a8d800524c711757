"""What ends a program or a test on purpose: `sys.exit`, `os.abort`; and `contextlib`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.machine import Machine, Raised
from tl_ascend.frontend.models.environment import variables
from tl_ascend.frontend.models.inspection import marker
from tl_ascend.frontend.values import Builtin, Namespace, Unknown
from tl_ascend.source.units import span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program


@dataclass(frozen=True, slots=True)
class Suppress:
    """`contextlib.suppress(*kinds)`."""

    kinds: tuple[Any, ...]


def install(program: Program) -> None:
    """`import sys`, `import os`, `import contextlib`; `exit` and `quit`."""
    ends = {name: leaving(name, SystemExit) for name in ("_exit", "abort")}
    program.externals["sys"] = lambda: library("sys", {"exit": leaving("exit", SystemExit)})
    program.externals["os"] = lambda: library("os", {**ends, **variables()})
    program.externals["contextlib"] = lambda: library(
        "contextlib",
        {
            "contextmanager": Builtin("contextmanager", marker("contextmanager"), True),
            "suppress": Builtin("suppress", lambda m, node, args, kwargs: Suppress(tuple(args))),
        },
    )
    for name in ("exit", "quit"):
        program.builtins[name] = leaving(name, SystemExit)


def library(name: str, attributes: dict[str, Any]) -> Namespace:
    """A module of which only some names are known."""
    return Namespace(name, attributes, lambda other: Unknown(f"{name}.{other} is not evaluated"))


def leaving(name: str, kind: Callable[..., BaseException]) -> Builtin:
    """A function that always raises."""

    def leave(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
        raise Raised(span_of(node), f"{name}() is called", kind(*args))

    return Builtin(name, leave, True)
