"""Environment variables: those that the author has given a default are taken to be not set, as options
of a command line are; nothing is asked of the machine that checks. Where the file may set some, nothing
is known."""

from __future__ import annotations

import ast
from typing import Any

from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.reach import by_code
from tl_ascend.frontend.values import Builtin, Namespace, Unknown, first_unknown
from tl_ascend.source.units import children, span_of

# As a global of a file: it may set variables.
_SETS = "os.environ is set"


def variables() -> dict[str, Any]:
    """What `os` has of them."""
    environ = Namespace(
        "os.environ",
        {"get": Builtin("get", _get, True)},
        lambda name: Unknown(f"os.environ.{name} is not evaluated"),
    )
    return {"environ": environ, "getenv": Builtin("getenv", _get, True)}


def _get(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`os.environ.get(name, default)`."""
    name, default = (*args, *kwargs.values(), None, None)[:2]
    unknown = first_unknown(name, default)
    if unknown is not None:
        return unknown
    if not isinstance(name, str) or not isinstance(default, str):
        return Unknown("an environment variable without a default", span_of(node))
    if _may_be_set(m):
        return Unknown("an environment variable that the file may set", span_of(node))
    return default


def _may_be_set(m: Machine) -> bool:
    names = m.module.env.names
    if _SETS not in names:
        names[_SETS] = any(_sets(unit.tree) for unit in m.module.file.units)
    m.program.note_read(m.module, _SETS, names[_SETS])
    return bool(names[_SETS])


@by_code
def _sets(tree: ast.AST) -> bool:
    """True where code does more with the variables than read one of them."""
    stack, read = [tree], 0
    uses = 0
    while stack:
        node = stack.pop()
        uses += _named(node) in ("environ", "putenv", "unsetenv")
        read += _reads(node)
        stack += children(node)
    return uses > read


def _reads(node: ast.AST) -> bool:
    """True for `environ.get`, for `environ[name]` as a value, for `name in environ`."""
    if isinstance(node, ast.Attribute):
        return node.attr == "get" and _named(node.value) == "environ"
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Load) and _named(node.value) == "environ"
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return _named(node.comparators[0]) == "environ"
    return False


def _named(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
