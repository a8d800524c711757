"""What follows `T.`: a row of the operation table, an element type, a name of TVM's script that we do
not evaluate, or a mistake."""

from __future__ import annotations

import ast
import difflib
from typing import Any

from tl_ascend.diagnostics.report import Applicability, Edit, Fix
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
        raise _mistake(node, f"T.{row.name}: {row.status}", renaming(node, row))
    known = TILE_NAMES if prefix else SCRIPT_NAMES
    if row is None and name not in known and not name.startswith("_"):
        nearest = suggestion(name, prefix)
        hint = f"; did you mean {nearest}?" if nearest else ""
        fixes = rename(node, nearest.removeprefix("T."), prefix, Applicability.UNSAFE)
        raise _mistake(node, f"there is no T.{prefix}{name}{hint}", fixes)
    return name_of_t(name, prefix)


# What tilelang.language.pto, an old copy of some operations, has of them.
_OLD = frozenset(
    "set_flag wait_flag set_cross_flag wait_cross_flag barrier_all pipe_barrier gemm_v0".split()
)
_OLD_TILE = frozenset(
    """
    fill add sub mul div max min bitwise_and bitwise_or exp ln abs reciprocal sqrt rsqrt relu
    leaky_relu axpy
    """.split()
)


def old_name(name: str) -> Any:
    """The value of `tilelang.language.pto.name`, which makes the same calls as the operations do now."""
    if name in _OLD or name in _OLD_TILE:
        return name_of_t(name, "" if name in _OLD else TILE)
    return Unknown(f"tilelang.language.pto.{name} is not evaluated")


def look_up_old(m: Machine, node: ast.AST, name: str) -> Any:
    """The same where it stands in a program, where it is told."""
    found = old_name(name)
    if isinstance(found, OpRef):
        part = "name" if isinstance(node, ast.Attribute) else ""
        text = f"tilelang.language.pto.{name} is deprecated: use T.{found.row.name}"
        m.say("deprecated-api", span_of(node, part), text)
    return found


def _mistake(node: ast.AST, text: str, fixes: tuple[Fix, ...]) -> Mistake:
    part = "name" if isinstance(node, ast.Attribute) else ""
    return Mistake("unknown-api", span_of(node, part), text, certain=True, fixes=fixes)


def renaming(node: ast.AST, row: Op) -> tuple[Fix, ...]:
    """The repair of a name whose row says what takes the same arguments."""
    prefix = TILE if row.name.startswith(TILE) else ""
    return rename(node, row.renamed, prefix, Applicability.SAFE)


def rename(node: ast.AST, name: str, prefix: str, applicability: Applicability) -> tuple[Fix, ...]:
    """Write another name of `T` behind the last dot; what stands before it is left alone."""
    if not name.startswith(prefix) or not name or not isinstance(node, ast.Attribute):
        return ()
    edit = Edit(span_of(node, "name"), name.removeprefix(prefix))
    return (Fix(f"Write T.{name}", (edit,), applicability),)


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
