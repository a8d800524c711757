"""What follows `T.`: a row of the operation table, an element type, a name of TVM's script that we do
not evaluate, or a mistake."""

from __future__ import annotations

import ast
import difflib
from typing import Any

from tl_ascend.frontend.machine import Machine, Mistake
from tl_ascend.frontend.values import DTypeRef, OpRef, Unknown
from tl_ascend.ops.row import Op
from tl_ascend.ops.script_names import SCRIPT_NAMES, TILE_NAMES
from tl_ascend.ops.table import TABLE
from tl_ascend.source.units import span_of
from tl_ascend.target.dtypes import dtype

TILE = "tile."


def name_of_t(name: str, prefix: str = "") -> Any:
    """The value of `T.name`; unknown where we do not know it."""
    row = TABLE.get(prefix + name)
    if not prefix and dtype(name) is not None and (row is not None or name in SCRIPT_NAMES):
        return DTypeRef(name)
    if row is not None:
        return OpRef(row)
    return Unknown(f"T.{prefix}{name} is not evaluated")


def look_up(m: Machine, node: ast.AST, name: str, prefix: str = "") -> Any:
    """The same where it stands in a program. Errors: Mistake for what T does not have."""
    row = TABLE.get(prefix + name)
    if row is not None and not row.defined:
        raise _mistake(node, f"T.{row.name}: {row.status}")
    known = TILE_NAMES if prefix else SCRIPT_NAMES
    if row is None and name not in known and not name.startswith("_"):
        nearest = suggestion(name, prefix)
        hint = f"; did you mean {nearest}?" if nearest else ""
        raise _mistake(node, f"there is no T.{prefix}{name}{hint}")
    return name_of_t(name, prefix)


def _mistake(node: ast.AST, text: str) -> Mistake:
    part = "name" if isinstance(node, ast.Attribute) else ""
    return Mistake("unknown-api", span_of(node, part), text, certain=True)


def suggestion(name: str, prefix: str) -> str:
    """The name that was probably meant, empty where none is near."""
    other = name if prefix else TILE + name
    if _usable(TABLE.get(other)):
        return f"T.{other}"
    shown = {n.removeprefix(TILE).lower(): n for n, row in TABLE.items() if _usable(row)}
    same_place = {k: n for k, n in shown.items() if n.startswith(TILE) == bool(prefix)}
    for names in (same_place, shown):
        found = difflib.get_close_matches(name.lower(), names, 1, 0.7)
        if found:
            return f"T.{names[found[0]]}"
    return ""


def _usable(row: Op | None) -> bool:
    return row is not None and not row.status
